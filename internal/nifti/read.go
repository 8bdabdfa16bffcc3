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

// VoxelOrder is how the voxels of a volume follow one another outside of its file, in which the first axis is the
// fastest.
type VoxelOrder int

// Orders, by the library that gives voxels so.
const (
	Kept     VoxelOrder = iota // in C order of the file's axes, the last one fastest: as nibabel gives them
	Reversed                   // in C order of the file's axes from last to first, as in the file: as SimpleITK gives them
)

// ReadFloats reads a volume. Values are scaled in float64 and then rounded.
func ReadFloats(path string, order VoxelOrder) (*VolumeHeader, []float32, error) {
	return readVolume(path, func(*VolumeHeader) planeWriter[float32] {
		return convertVoxels(order, func(v float64) (float32, bool) { return float32(v), true })
	})
}

// ReadClasses reads a volume of whole numbers of 0 to most. Another value is an error that names the voxel.
func ReadClasses(path string, order VoxelOrder, most uint8) (*VolumeHeader, []uint8, error) {
	return readVolume(path, func(h *VolumeHeader) planeWriter[uint8] {
		if h.Type == Uint8 && h.Slope == 1 && h.Intercept == 0 && order == Kept {
			return copyBytes(most)
		}
		return convertVoxels(order, func(v float64) (uint8, bool) {
			if !(v >= 0 && v <= float64(most)) {
				return 0, false
			}
			return uint8(v), v == float64(uint8(v))
		})
	})
}

// planeWriter writes n planes, from plane k on, to where they belong: in the order Kept voxel (i, j, k) is at
// (i*Shape[1] + j)*Shape[2] + k.
type planeWriter[T any] func(h *VolumeHeader, out []T, block []byte, k, n int) error

// readVolume reads a file by the planeWriter that is chosen for it.
func readVolume[T any](path string, choose func(h *VolumeHeader) planeWriter[T]) (*VolumeHeader, []T, error) {
	f, err := openVolume(path)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := readVoxels(f.header, f, f.most-f.header.offset, choose(f.header))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	if _, err := io.Copy(io.Discard, f); err != nil { // the checksum of a packed file comes last
		return nil, nil, fmt.Errorf("%s: %w", path, truncated(err, "checksum"))
	}
	return f.header, data, nil
}

// volumeFile is an open file, after its header.
type volumeFile struct {
	io.Reader
	header *VolumeHeader
	most   int64 // bytes that it can hold, once unpacked
	close  func() error
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

// newReader unpacks, where needed, and reads the header of a file of size bytes.
func newReader(r io.Reader, size int64) (*volumeFile, error) {
	buffered := bufio.NewReaderSize(r, 1<<16)
	f := &volumeFile{Reader: buffered, most: size}
	if magic, _ := buffered.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		unpacked, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, truncated(err, "gzip header")
		}
		const largestRatio = 1032 // of deflate: a bit for a run of 258 bytes
		f.Reader, f.most = bufio.NewReaderSize(unpacked, 1<<16), size*largestRatio
	}
	h, err := readHeader(f.Reader)
	if err != nil {
		return nil, err
	}
	f.header = h
	return f, nil
}

// together is how many planes are turned to C order at a time: runs of that length are written.
const together = 16

// readVoxels reads the planes of the third axis, of which r holds at most most bytes: a header that
// claims more costs no memory.
func readVoxels[T any](h *VolumeHeader, r io.Reader, most int64, turn planeWriter[T]) ([]T, error) {
	size := h.Type.size()
	if need := int64(h.VoxelCount()) * int64(size); need > most {
		return nil, fmt.Errorf("%w: the file is truncated: shape %v of %v needs %d bytes, and it holds at most %d", ErrFormat,
			h.Shape, h.Type, need, most)
	}
	out := make([]T, h.VoxelCount())
	plane := h.Shape[0] * h.Shape[1]
	raw := make([]byte, min(together, h.Shape[2])*plane*size)
	for k := 0; k < h.Shape[2]; k += together {
		n := min(together, h.Shape[2]-k)
		block := raw[:n*plane*size]
		if _, err := io.ReadFull(r, block); err != nil {
			return nil, truncated(err, "voxels")
		}
		if err := turn(h, out, block, k, n); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// convertVoxels is a planeWriter for any type of voxel. What convert is false for it refuses.
func convertVoxels[T any](order VoxelOrder, convert func(float64) (T, bool)) planeWriter[T] {
	if order == Reversed {
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
						return notAClass(i, j, k+place, scaled)
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
				return notAClass(at%h.Shape[0], at%plane/h.Shape[0], k+at/plane, scaled)
			}
			run[at] = v
		}
		return nil
	}
}

func notAClass(i, j, k int, value float64) error {
	return fmt.Errorf("%w: voxel (%d, %d, %d) is %v, want a class", ErrFormat, i, j, k, value)
}
