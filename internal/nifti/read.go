package nifti

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/plumbline-ml/plumbline/internal/bounded"
)

// ReadHeader reads the header of a file.
func ReadHeader(path string) (*VolumeHeader, error) {
	f, err := openVolume(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return f.header, nil
}

// VoxelOrder is the order of a volume's voxels in memory. In a file the first axis is always the fastest.
type VoxelOrder int

// The orders, each with the library that uses it.
const (
	NibabelOrder   VoxelOrder = iota // C order of the file's axes, the last one fastest, as in nibabel
	SimpleITKOrder                   // the file's own order, that is C order of the reversed axes, as in SimpleITK
)

// ReadFloats reads a volume. It scales the values in float64 and rounds them to float32.
func ReadFloats(path string, order VoxelOrder) (*VolumeHeader, []float32, error) {
	return readVolume(path, func(*VolumeHeader) planeWriter[float32] {
		return convertVoxels(order, func(v float64) (float32, bool) { return float32(v), true })
	})
}

// ReadClasses reads a volume of whole numbers from 0 to maxClass. The error for another value names the voxel.
func ReadClasses(path string, order VoxelOrder, maxClass uint8) (*VolumeHeader, []uint8, error) {
	return readVolume(path, func(h *VolumeHeader) planeWriter[uint8] {
		if h.Type == Uint8 && h.Slope == 1 && h.Intercept == 0 && order == NibabelOrder {
			return copyBytes(maxClass)
		}
		return convertVoxels(order, func(v float64) (uint8, bool) {
			if !(v >= 0 && v <= float64(maxClass)) {
				return 0, false
			}
			return uint8(v), v == float64(uint8(v))
		})
	})
}

// planeWriter writes n planes, starting with plane k, to their positions in out. In the order Kept, voxel (i, j, k) is
// at (i*Shape[1] + j)*Shape[2] + k.
type planeWriter[T any] func(h *VolumeHeader, out []T, block []byte, k, n int) error

// readVolume reads a file with the planeWriter that choose returns for its header.
func readVolume[T any](path string, choose func(h *VolumeHeader) planeWriter[T]) (*VolumeHeader, []T, error) {
	f, err := openVolume(path)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := readVoxels(f.header, f, f.maxBytes-f.header.offset, choose(f.header))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	if _, err := io.Copy(io.Discard, f); err != nil { // to check the checksum at the end of a gzip file
		return nil, nil, fmt.Errorf("%s: %w", path, truncationError(err, "checksum"))
	}
	return f.header, data, nil
}

// volumeFile is an open file, positioned after its header.
type volumeFile struct {
	io.Reader
	header   *VolumeHeader
	maxBytes int64 // upper bound of the bytes in the file, once unpacked
	close    func() error
}

func (f *volumeFile) Close() error { return f.close() }

func openVolume(path string) (*volumeFile, error) {
	disk, err := bounded.Open(path)
	if err != nil {
		return nil, err
	}
	f, err := newFile(disk)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, errors.Join(err, disk.Close()))
	}
	f.close = disk.Close
	return f, nil
}

func newFile(disk *os.File) (*volumeFile, error) {
	info, err := disk.Stat()
	if err != nil {
		return nil, err
	}
	return newReader(disk, info.Size())
}

// newReader reads the header of a file of size bytes, which may be compressed with gzip.
func newReader(r io.Reader, size int64) (*volumeFile, error) {
	buffered := bufio.NewReaderSize(r, 1<<16)
	f := &volumeFile{Reader: buffered, maxBytes: size}
	if magic, _ := buffered.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		unpacked, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, truncationError(err, "gzip header")
		}
		const largestRatio = 1032 // deflate's limit: one bit for a run of 258 bytes
		f.Reader, f.maxBytes = bufio.NewReaderSize(unpacked, 1<<16), size*largestRatio
	}
	h, err := readHeader(f.Reader)
	if err != nil {
		return nil, err
	}
	f.header = h
	return f, nil
}

// planesPerBlock is the number of planes converted to C order at a time. Longer runs make writing faster.
const planesPerBlock = 16

// readVoxels reads the planes of the third axis. r contains up to maxBytes bytes. If the header claims more, readVoxels
// fails before it allocates memory.
func readVoxels[T any](h *VolumeHeader, r io.Reader, maxBytes int64, turn planeWriter[T]) ([]T, error) {
	size := h.Type.size()
	if need := int64(h.VoxelCount()) * int64(size); need > maxBytes {
		return nil, fmt.Errorf("%w: the file is truncated: shape %v of %v needs %d bytes, and it holds at most %d", ErrFormat,
			h.Shape, h.Type, need, maxBytes)
	}
	out := make([]T, h.VoxelCount())
	plane := h.Shape[0] * h.Shape[1]
	raw := make([]byte, min(planesPerBlock, h.Shape[2])*plane*size)
	for k := 0; k < h.Shape[2]; k += planesPerBlock {
		n := min(planesPerBlock, h.Shape[2]-k)
		block := raw[:n*plane*size]
		if _, err := io.ReadFull(r, block); err != nil {
			return nil, truncationError(err, "voxels")
		}
		if err := turn(h, out, block, k, n); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// convertVoxels returns a planeWriter for voxels of any type. A voxel is an error if convert returns false for it.
func convertVoxels[T any](order VoxelOrder, convert func(float64) (T, bool)) planeWriter[T] {
	if order == SimpleITKOrder {
		return convertInOrder(convert)
	}
	return func(h *VolumeHeader, out []T, block []byte, k, n int) error {
		d := decoders[h.Type]
		plane := h.Shape[0] * h.Shape[1]
		for j := range h.Shape[1] {
			for i := range h.Shape[0] {
				run := out[(i*h.Shape[1]+j)*h.Shape[2]+k:][:n]
				at := (j*h.Shape[0] + i) * d.size
				for place := range run {
					stored := d.read(h.order, block[at+place*plane*d.size:])
					scaled := float64(stored*h.Slope) + h.Intercept
					v, ok := convert(scaled)
					if !ok {
						return classError(i, j, k+place, scaled)
					}
					run[place] = v
				}
			}
		}
		return nil
	}
}

// convertInOrder is convertVoxels for the file's own order.
func convertInOrder[T any](convert func(float64) (T, bool)) planeWriter[T] {
	return func(h *VolumeHeader, out []T, block []byte, k, n int) error {
		d := decoders[h.Type]
		plane := h.Shape[0] * h.Shape[1]
		run := out[k*plane:][:n*plane]
		for at := range run {
			stored := d.read(h.order, block[at*d.size:])
			scaled := float64(stored*h.Slope) + h.Intercept
			v, ok := convert(scaled)
			if !ok {
				return classError(at%h.Shape[0], at%plane/h.Shape[0], k+at/plane, scaled)
			}
			run[at] = v
		}
		return nil
	}
}

func classError(i, j, k int, value float64) error {
	return fmt.Errorf("%w: voxel (%d, %d, %d) is %v, want a class", ErrFormat, i, j, k, value)
}
