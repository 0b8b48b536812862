// Packs a tar as eStargz, with the files of a record in front, as the converters do, and prints the layer's entries
// in the order in which they lie, each with its offset. Usage: estargz_program TAR RECORD LAYER
package main

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/containerd/stargz-snapshotter/estargz"
)

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

// What the snapshotter's recorder writes, as far as a layer needs it.
func prioritized(record string) (paths []string) {
	lines := bufio.NewScanner(must(os.Open(record)))
	for lines.Scan() {
		var entry struct {
			Path string `json:"path"`
		}
		if err := json.Unmarshal(lines.Bytes(), &entry); err != nil {
			log.Fatal(err)
		}
		paths = append(paths, entry.Path)
	}
	return paths
}

func main() {
	packed := must(os.Open(os.Args[1]))
	missed := []string{}
	layer := must(estargz.Build(io.NewSectionReader(packed, 0, must(packed.Stat()).Size()),
		estargz.WithPrioritizedFiles(prioritized(os.Args[2])), estargz.WithAllowPrioritizeNotFound(&missed)))
	out := must(os.Create(os.Args[3]))
	size := must(io.Copy(out, layer))
	table := must(estargz.Open(io.NewSectionReader(out, 0, size)))
	must(out.Seek(0, io.SeekStart))
	for entries := tar.NewReader(must(gzip.NewReader(out))); ; {
		header, err := entries.Next()
		if err == io.EOF {
			break
		}
		offset := int64(-1) // of what isn't in the table: the table
		if entry, found := table.Lookup(must(header, err).Name); found {
			offset = entry.Offset
		}
		fmt.Printf("%d %s\n", offset, header.Name)
	}
	for _, path := range missed {
		fmt.Println("missed", path)
	}
}
