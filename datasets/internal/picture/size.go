// Package picture reads the headers of picture files without decoding the pictures.
package picture

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
)

// HeaderSize reads the size in pixels from the header of a JPEG, PNG or BMP file. It ignores the file's name, because
// ImageNet contains a PNG called .JPEG. A truncated header is io.EOF or io.ErrUnexpectedEOF.
func HeaderSize(r *bufio.Reader) (width, height int, err error) {
	magic, err := r.Peek(8)
	switch {
	case bytes.HasPrefix(magic, []byte("\xff\xd8\xff")):
		return jpegSize(r)
	case bytes.HasPrefix(magic, []byte("\x89PNG\r\n\x1a\n")):
		return pngSize(r)
	case bytes.HasPrefix(magic, []byte("BM")):
		return bmpSize(r)
	case err != nil && err != io.EOF:
		return 0, 0, err
	}
	return 0, 0, fmt.Errorf("the file starts with %q: want a JPEG, PNG or BMP picture", magic)
}

// pngSize reads IHDR, which is always the first chunk.
func pngSize(r io.Reader) (width, height int, err error) {
	var h struct {
		Magic         [8]byte
		Length        uint32
		Kind          [4]byte
		Width, Height uint32
	}
	if err := binary.Read(r, binary.BigEndian, &h); err != nil {
		return 0, 0, err
	}
	if string(h.Kind[:]) != "IHDR" || h.Length != 13 {
		return 0, 0, fmt.Errorf("a PNG whose first chunk is %q of %d bytes, want IHDR of 13", h.Kind, h.Length)
	}
	return int(h.Width), int(h.Height), nil
}

// bmpSize reads the header of a BMP file. It does not support OS/2's first version, which has 16-bit sizes. A negative
// height means that rows are stored from top to bottom.
func bmpSize(r io.Reader) (width, height int, err error) {
	var h struct {
		File          [14]byte
		Length        uint32
		Width, Height int32
	}
	if err := binary.Read(r, binary.LittleEndian, &h); err != nil {
		return 0, 0, err
	}
	if h.Length < 40 {
		return 0, 0, fmt.Errorf("a BMP whose header has %d bytes, want at least 40", h.Length)
	}
	if h.Height < 0 {
		return int(h.Width), -int(h.Height), nil
	}
	return int(h.Width), int(h.Height), nil
}

// jpegSize skips the segments before the frame header (ITU-T T.81, B.1 and B.2.2).
func jpegSize(r *bufio.Reader) (width, height int, err error) {
	if _, err := r.Discard(2); err != nil { // start of image
		return 0, 0, err
	}
	for {
		marker, err := readMarker(r)
		if err != nil {
			return 0, 0, err
		}
		if startsFrame(marker) {
			return frameSize(r)
		}
		if err := skipSegment(r, marker); err != nil {
			return 0, 0, err
		}
	}
}

// readMarker reads a marker, which is one or more bytes 0xff and a number. It returns the number.
func readMarker(r *bufio.Reader) (byte, error) {
	b, err := r.ReadByte()
	if err != nil {
		return 0, err
	}
	if b != 0xff {
		return 0, fmt.Errorf("a JPEG with byte %#02x in its header where a marker should be", b)
	}
	for b == 0xff && err == nil {
		b, err = r.ReadByte()
	}
	return b, err
}

// startsFrame reports whether a marker starts a frame. These are 0xc0 to 0xcf except the markers of tables and the
// reserved one.
func startsFrame(marker byte) bool {
	return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc
}

func frameSize(r io.Reader) (width, height int, err error) {
	var h struct {
		Length        uint16
		Precision     uint8
		Height, Width uint16
	}
	err = binary.Read(r, binary.BigEndian, &h)
	return int(h.Width), int(h.Height), err
}

func skipSegment(r *bufio.Reader, marker byte) error {
	const startOfScan, endOfImage = 0xda, 0xd9
	if marker == startOfScan || marker == endOfImage {
		return fmt.Errorf("a JPEG without a frame header before marker %#02x", marker)
	}
	var length uint16
	if err := binary.Read(r, binary.BigEndian, &length); err != nil {
		return err
	}
	if length < 2 {
		return fmt.Errorf("a JPEG with a segment of %d bytes, want at least 2", length)
	}
	_, err := r.Discard(int(length) - 2)
	return err
}
