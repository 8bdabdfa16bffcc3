package graph

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"unsafe"

	"github.com/plumbline-ml/plumbline/datasets/internal/mapped"
)

// ErrCache is wrapped by every error about a graph's cache file that is damaged or was made from other data. The file
// must be made again.
var ErrCache = errors.New("kept graph")

// A cache file consists of the magic, the header's length and checksum, the header as JSON, and the bases, low offsets
// and sources of each relation in little endian. Each of these arrays starts at a multiple of 64 bytes.
const (
	cacheMagic     = "PLUMBCSC"
	cacheStart     = len(cacheMagic) + 8
	cacheFormat    = 1
	maxHeaderBytes = 1 << 20
	alignment      = 64
)

type cacheHeader struct {
	Format    int
	Key       string // identifies the data from which the graph was built
	Types     []NodeType
	Relations []cachedRelation
}

type cachedRelation struct {
	Relation
	Edges    uint64
	Checksum uint32 // of the relation's three arrays
}

// WriteCache saves the graph in the file path and replaces an existing file atomically. key identifies the data from
// which the graph was built; other data must have another key.
func (g *Graph) WriteCache(ctx context.Context, path, key string) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.new")
	if err != nil {
		return fmt.Errorf("keep a graph: %w", err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("keep a graph: %w", errors.Join(err, os.Remove(f.Name())))
		}
	}()
	if err := errors.Join(g.writeFile(ctx, f, key), f.Sync(), f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func (g *Graph) writeFile(ctx context.Context, f *os.File, key string) error {
	h := cacheHeader{cacheFormat, key, g.Types, make([]cachedRelation, len(g.Relations))}
	for i, c := range g.CSC {
		h.Relations[i] = cachedRelation{g.Relations[i], c.EdgeCount(), 0}
		sum, err := c.checksum(ctx)
		if err != nil {
			return err
		}
		h.Relations[i].Checksum = sum
	}
	head, err := h.encode()
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	for _, part := range append([][]byte{head}, g.memoryBlocks()...) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		_, _ = w.Write(part) // Flush returns the error
		_, _ = w.Write(make([]byte, alignUp(int64(len(part)))-int64(len(part))))
	}
	return w.Flush()
}

func (g *Graph) memoryBlocks() [][]byte {
	var all [][]byte
	for _, c := range g.CSC {
		all = append(all, c.memoryBlocks()...)
	}
	return all
}

// memoryBlocks returns the memory of a relation's arrays.
func (c *CSC) memoryBlocks() [][]byte {
	return [][]byte{asBytes(c.bases), asBytes(c.lowOffsets), asBytes(c.sources)}
}

// checksum returns the checksum of all arrays.
func (c *CSC) checksum(ctx context.Context) (uint32, error) {
	var sums []byte
	for _, part := range c.memoryBlocks() {
		sum, err := BlockChecksum(ctx, bytes.NewReader(part), 0, int64(len(part)))
		if err != nil {
			return 0, err
		}
		sums = binary.LittleEndian.AppendUint32(sums, sum)
	}
	return crc32.Checksum(sums, castagnoli), nil
}

func (h *cacheHeader) encode() ([]byte, error) {
	text, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	head := binary.LittleEndian.AppendUint32([]byte(cacheMagic), uint32(len(text)))
	head = binary.LittleEndian.AppendUint32(head, crc32.Checksum(text, castagnoli))
	return append(head, text...), nil
}

// OpenCache maps a file of WriteCache and checks every byte of it. key, types and relations must equal those of the
// saved graph. The caller must close the graph. A missing file is fs.ErrNotExist; a damaged file or a file of other
// data is ErrCache.
func OpenCache(ctx context.Context, path, key string, types []NodeType, relations []Relation) (*Graph, error) {
	f, err := mapped.Open(path)
	if err != nil {
		return nil, err
	}
	g := &Graph{Types: types, Relations: relations, close: f.Close}
	var faults error
	err = mapped.CatchFaults(func() { faults = g.loadRelations(ctx, f.Bytes(), key) })
	if err = errors.Join(err, faults); err != nil {
		return nil, errors.Join(fmt.Errorf("%w %s: %w", ErrCache, path, err), f.Close())
	}
	return g, nil
}

// loadRelations loads the relations of a cached graph.
func (g *Graph) loadRelations(ctx context.Context, data []byte, key string) error {
	h, at, err := decodeHeader(data)
	if err != nil {
		return err
	}
	if h.Key != key || !slices.Equal(h.Types, g.Types) || len(h.Relations) != len(g.Relations) {
		return errors.New("it was made of other data")
	}
	rest := data[at:]
	for i, kept := range h.Relations {
		if kept.Relation != g.Relations[i] {
			return fmt.Errorf("relation %d is %s, want %s", i, kept.Name, g.Relations[i].Name)
		}
		c := new(CSC)
		if rest, err = c.mapArrays(rest, g.Types[kept.Destination].Nodes, kept.Edges); err != nil {
			return fmt.Errorf("%s: %w", kept.Name, err)
		}
		if err := c.verify(ctx, kept.Checksum, g.Types[kept.Source].Nodes); err != nil {
			return fmt.Errorf("%s: %w", kept.Name, err)
		}
		g.CSC = append(g.CSC, c)
	}
	if len(rest) != 0 {
		return fmt.Errorf("%d bytes after its end", len(rest))
	}
	return nil
}

// decodeHeader returns the header and the offset of the arrays.
func decodeHeader(data []byte) (*cacheHeader, int, error) {
	if len(data) < cacheStart || string(data[:len(cacheMagic)]) != cacheMagic {
		return nil, 0, fmt.Errorf("it does not begin with %q", cacheMagic)
	}
	n, sum := binary.LittleEndian.Uint32(data[len(cacheMagic):]), binary.LittleEndian.Uint32(data[len(cacheMagic)+4:])
	end := alignUp(int64(cacheStart) + int64(n))
	if n > maxHeaderBytes || end > int64(len(data)) {
		return nil, 0, fmt.Errorf("a header of %d bytes in a file of %d", n, len(data))
	}
	text := data[cacheStart : cacheStart+int(n)]
	if crc32.Checksum(text, castagnoli) != sum {
		return nil, 0, errors.New("its header is damaged")
	}
	h := new(cacheHeader)
	if err := json.Unmarshal(text, h); err != nil {
		return nil, 0, err
	}
	if h.Format != cacheFormat {
		return nil, 0, fmt.Errorf("format %d, want %d", h.Format, cacheFormat)
	}
	return h, int(end), nil
}

// mapArrays makes c refer to its arrays at the start of data and returns the data after them.
func (c *CSC) mapArrays(data []byte, nodes int, edges uint64) (rest []byte, err error) {
	if edges > uint64(len(data))/4 {
		return nil, fmt.Errorf("%d edges in %d bytes: it is cut short", edges, len(data))
	}
	if c.bases, data, err = viewElements[uint64](data, baseCount(nodes)); err == nil {
		if c.lowOffsets, data, err = viewElements[uint32](data, nodes+1); err == nil {
			c.sources, data, err = viewElements[uint32](data, int(edges))
		}
	}
	return data, err
}

func (c *CSC) verify(ctx context.Context, sum uint32, sources int) error {
	got, err := c.checksum(ctx)
	switch {
	case err != nil:
		return err
	case got != sum:
		return fmt.Errorf("checksum %08x, want %08x: it is damaged", got, sum)
	case !c.isValid(sources):
		return errors.New("offsets or sources that are none")
	}
	return nil
}

func alignUp(n int64) int64 { return (n + alignment - 1) / alignment * alignment }

// viewElements returns n elements at the start of data without copying, and the data after them. data must be aligned
// for T.
func viewElements[T uint32 | uint64](data []byte, n int) (elements []T, rest []byte, err error) {
	size := int64(n) * int64(unsafe.Sizeof(T(0)))
	if alignUp(size) > int64(len(data)) {
		return nil, nil, fmt.Errorf("%d bytes, want %d: %w", len(data), alignUp(size), io.ErrUnexpectedEOF)
	}
	if n == 0 {
		return nil, data, nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&data[0])), n), data[alignUp(size):], nil
}

// asBytes returns the memory of elements.
func asBytes[T uint32 | uint64](elements []T) []byte {
	if len(elements) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&elements[0])), len(elements)*int(unsafe.Sizeof(elements[0])))
}
