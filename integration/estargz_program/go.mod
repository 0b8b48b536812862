module estargz_program

go 1.19

require github.com/containerd/stargz-snapshotter/estargz v0.14.3

require (
	github.com/klauspost/compress v1.16.0 // indirect
	github.com/opencontainers/go-digest v1.0.0 // indirect
	github.com/vbatts/tar-split v0.11.2 // indirect
	golang.org/x/sync v0.1.0 // indirect
)
