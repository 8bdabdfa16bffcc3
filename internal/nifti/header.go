// Package nifti reads volumes from NIfTI-1 files (.nii, and .nii.gz by content) like nibabel.
//
// In scope: single-file NIfTI-1 with three dimensions, of numbers, in either byte order. Out of scope: pairs of .hdr
// and .img, NIfTI-2, Analyze, colours, complex numbers, time series. Extensions are skipped.
package nifti

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// ErrFormat is in the chain of all errors about a file's contents.
var ErrFormat = errors.New("nifti volume")

// VolumeHeader is the header of a volume.
type VolumeHeader struct {
	Shape   [3]int        // voxels along each axis of the file
	Spacing [3]float64    // millimetres between voxels along each axis
	Affine  [4][4]float64 // voxel to mm to the right, front and top; from sform, else qform, else spacing
	Type    VoxelType
	// A voxel's value is stored * Slope + Intercept. They are 1 and 0 if the file has no scaling.
	Slope, Intercept float64

	order  binary.ByteOrder
	offset int64 // of the voxels
}

// headerSize is the length of the header in bytes, and the value of its first field.
const headerSize = 348

// rawHeader is the header as it is stored (nifti1.h).
type rawHeader struct {
	SizeOfHeader int32
	_            [36]byte // of Analyze
	Dim          [8]int16
	_            [14]byte // intent
	Type         int16
	BitsPerVoxel int16
	_            int16 // first slice
	Spacing      [8]float32
	Offset       float32
	Slope        float32
	Intercept    float32
	_            [132]byte // slices, units, display, text
	QForm, SForm int16     // codes
	Quaternion   [3]float32
	QuaternionAt [3]float32
	Rows         [3][4]float32 // of sform
	_            [16]byte      // intent
	Magic        [4]byte
}

// readHeader reads the header and skips the bytes between it and the voxels.
func readHeader(r io.Reader) (*VolumeHeader, error) {
	data := make([]byte, headerSize)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, truncationError(err, "header")
	}
	order, err := detectByteOrder(data)
	if err != nil {
		return nil, err
	}
	var raw rawHeader
	if err := binary.Read(bytes.NewReader(data), order, &raw); err != nil {
		return nil, err
	}
	h, problems := raw.parseHeader()
	if len(problems) > 0 {
		return nil, fmt.Errorf("%w: header: %s", ErrFormat, strings.Join(problems, "; "))
	}
	h.order = order
	if _, err := io.CopyN(io.Discard, r, h.offset-headerSize); err != nil {
		return nil, truncationError(err, "header's extensions")
	}
	return h, nil
}

func truncationError(err error, where string) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: the file ends within its %s: it is truncated: %w", ErrFormat, where, io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("%w: %s: %w", ErrFormat, where, err)
}

func detectByteOrder(data []byte) (binary.ByteOrder, error) {
	switch {
	case binary.LittleEndian.Uint32(data) == headerSize:
		return binary.LittleEndian, nil
	case binary.BigEndian.Uint32(data) == headerSize:
		return binary.BigEndian, nil
	}
	return nil, fmt.Errorf("%w: the file starts with %q, want a NIfTI-1 header of %d bytes", ErrFormat,
		data[:4], headerSize)
}

// parseHeader returns the header, or all faults in it.
func (raw *rawHeader) parseHeader() (*VolumeHeader, []string) {
	var problems []string
	add := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if string(raw.Magic[:]) != "n+1\x00" {
		add("magic %q, want \"n+1\" (header and voxels in one file)", raw.Magic)
	}
	h := &VolumeHeader{Type: VoxelType(raw.Type), Slope: 1, offset: int64(raw.Offset)}
	for i := range h.Shape {
		h.Shape[i], h.Spacing[i] = int(raw.Dim[i+1]), float64(raw.Spacing[i+1])
	}
	if problem := raw.checkDimensions(); problem != "" {
		add("%s", problem)
	}
	if h.Spacing[0] <= 0 || h.Spacing[1] <= 0 || h.Spacing[2] <= 0 || !allFinite(h.Spacing[:]...) {
		add("spacing %v, want numbers above 0", h.Spacing)
	}
	if bits := 8 * h.Type.size(); bits == 0 || bits != int(raw.BitsPerVoxel) {
		add("datatype %v of %d bits, want one of %s", h.Type, raw.BitsPerVoxel, typeNames())
	}
	if !(raw.Offset >= headerSize+4 && raw.Offset < 1<<30) {
		add("voxels at byte %v, want %d or more", raw.Offset, headerSize+4)
	}
	if slope := float64(raw.Slope); allFinite(slope) && slope != 0 {
		h.Slope, h.Intercept = slope, float64(raw.Intercept)
	}
	if h.Affine = raw.affine(); !h.isFinite() {
		add("affine %v, intercept %v, want finite numbers", h.Affine, h.Intercept)
	}
	return h, problems
}

// isFinite reports whether the intercept and all numbers of the affine are finite.
func (h *VolumeHeader) isFinite() bool {
	for _, row := range h.Affine {
		if !allFinite(row[:]...) {
			return false
		}
	}
	return allFinite(h.Intercept)
}

// checkDimensions requires three dimensions. Further ones may have length 1.
func (raw *rawHeader) checkDimensions() string {
	n := int(raw.Dim[0])
	ok := n >= 3 && n <= 7
	for i := 1; ok && i <= n; i++ {
		ok = raw.Dim[i] == 1 || (i <= 3 && raw.Dim[i] > 1)
	}
	if ok {
		return ""
	}
	return fmt.Sprintf("%d dimensions %v, want 3 of at least 1 voxel", n, raw.Dim[1:])
}

func allFinite(values ...float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}

// VoxelCount returns the number of voxels.
func (h *VolumeHeader) VoxelCount() int { return h.Shape[0] * h.Shape[1] * h.Shape[2] }

// Orientation returns the direction of each axis of the file, as the nearest of Right, Left, Anterior, Posterior,
// Superior and Inferior. It is "IPL" for the volumes of KiTS19, whose first axis runs from the highest to the lowest
// slice.
func (h *VolumeHeader) Orientation() string {
	const names = "RLAPSI"
	var axes [3]byte
	for column := range axes {
		best := 0
		for row := range 3 {
			if math.Abs(h.Affine[row][column]) > math.Abs(h.Affine[best][column]) {
				best = row
			}
		}
		axes[column] = names[2*best]
		if h.Affine[best][column] < 0 {
			axes[column] = names[2*best+1]
		}
	}
	return string(axes[:])
}
