"""A web server on this machine that serves ranges of a folder's files, delays each request, and counts requests and
bytes."""
import http.server
import re
import threading
import time
from pathlib import Path


class RangeServer:
    """Use it with `with`. `requests` and `bytes` are counted since `reset`."""

    def __init__(self, folder, wait_s):
        self.requests = self.bytes = 0
        self._lock = threading.Lock()
        served = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_HEAD(self):
                self.answer(Path(folder) / self.path.lstrip("/"), has_body=False)

            def do_GET(self):
                self.answer(Path(folder) / self.path.lstrip("/"), has_body=True)

            def answer(self, path, has_body):
                time.sleep(wait_s)
                size = path.stat().st_size
                asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
                first = int(asked[1]) if asked else 0
                last = min(int(asked[2]) if asked and asked[2] else size - 1, size - 1)
                self.send_response(206 if asked else 200)
                self.send_header("Accept-Ranges", "bytes")
                self.send_header("Content-Length", str(last - first + 1))
                if asked:
                    self.send_header("Content-Range", f"bytes {first}-{last}/{size}")
                self.end_headers()
                if has_body:
                    served.count(last - first + 1)
                    with open(path, "rb") as file:
                        file.seek(first)
                        self.wfile.write(file.read(last - first + 1))

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def count(self, size):
        with self._lock:
            self.requests += 1
            self.bytes += size

    def reset(self):
        with self._lock:
            self.requests = self.bytes = 0

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()
