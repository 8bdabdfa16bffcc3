package graph

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/plumbline-ml/plumbline/internal/parallel"
)

// checksumBlockBytes is the block size of BlockChecksum.
const checksumBlockBytes = 16 << 20

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// BlockChecksum computes the CRC-32C of the size bytes from offset on, on all processors. It is the CRC-32C of the
// checksums of 16 MiB blocks.
func BlockChecksum(ctx context.Context, r io.ReaderAt, offset, size int64) (uint32, error) {
	sums := make([]byte, 4*((size+checksumBlockBytes-1)/checksumBlockBytes))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	parallel.Each(ctx, len(sums)/4, func(i int) {
		first := int64(i) * checksumBlockBytes
		sum := crc32.New(castagnoli)
		n := min(checksumBlockBytes, size-first)
		if _, err := io.CopyN(sum, io.NewSectionReader(r, offset+first, n), n); err != nil {
			cancel(fmt.Errorf("checksum: %w", err))
			return
		}
		binary.LittleEndian.PutUint32(sums[4*i:], sum.Sum32())
	})
	return crc32.Checksum(sums, castagnoli), context.Cause(ctx)
}
