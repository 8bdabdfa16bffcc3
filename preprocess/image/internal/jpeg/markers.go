package jpeg

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// Markers (T.81 table B.1).
const (
	markerSOF0  = 0xc0 // baseline
	markerSOF1  = 0xc1 // extended sequential
	markerSOF2  = 0xc2 // progressive
	markerDHT   = 0xc4
	markerSOF15 = 0xcf
	markerJPG   = 0xc8
	markerDAC   = 0xcc
	markerRST0  = 0xd0
	markerRST7  = 0xd7
	markerSOI   = 0xd8
	markerEOI   = 0xd9
	markerSOS   = 0xda
	markerDQT   = 0xdb
	markerDNL   = 0xdc
	markerDRI   = 0xdd
	markerAPP0  = 0xe0
	markerAPP1  = 0xe1
	markerAPP14 = 0xee
	markerTEM   = 0x01
	markerByte  = 0xff
)

func (d *Decoder) reset(data []byte) {
	d.data, d.position = data, 0
	d.frame = frameHeader{}
	d.app1, d.jfif, d.adobe = nil, false, -1
	d.restartInterval, d.eobRun, d.scanCount = 0, 0, 0
	for i := range d.quantTables {
		d.quantTables[i].defined = false
	}
	for _, class := range d.huffmanTables {
		for _, h := range class {
			if h != nil {
				h.defined = false
			}
		}
	}
}

// readHeader reads the segments before the first scan.
func (d *Decoder) readHeader() error {
	if len(d.data) < 2 || d.data[0] != markerByte || d.data[1] != markerSOI {
		return fmt.Errorf("%w: no start of image", ErrDamaged)
	}
	d.position = 2
	marker, err := d.readSegments()
	switch {
	case err != nil:
		return err
	case marker != markerSOS:
		return fmt.Errorf("%w: it ends before its first scan", ErrDamaged)
	case d.frame.componentCount == 0:
		return fmt.Errorf("%w: a scan before the start of the frame", ErrDamaged)
	}
	return nil
}

// readSegments reads segments up to a start of scan, whose segment comes next, or the end of the image.
func (d *Decoder) readSegments() (marker uint8, err error) {
	for {
		if marker, err = d.nextMarker(); err != nil {
			return 0, err
		}
		switch {
		case marker == markerSOS || marker == markerEOI:
			return marker, nil
		case marker >= markerRST0 && marker <= markerRST7, marker == markerTEM:
			continue // stray markers, which have no segment
		}
		body, err := d.segmentBytes(marker)
		if err == nil {
			err = d.readSegment(marker, body)
		}
		if err != nil {
			return 0, err
		}
	}
}

// nextMarker skips to the next marker. Like libjpeg, it skips bytes that belong to no segment.
func (d *Decoder) nextMarker() (uint8, error) {
	for {
		i := bytes.IndexByte(d.data[d.position:], markerByte)
		if i < 0 {
			break
		}
		d.position += i
		for d.position < len(d.data) && d.data[d.position] == markerByte {
			d.position++
		}
		if d.position == len(d.data) {
			break
		}
		marker := d.data[d.position]
		d.position++
		if marker != 0 {
			return marker, nil
		}
	}
	return 0, fmt.Errorf("%w: it ends after %d bytes without an end-of-image marker; fetch the file again",
		ErrDamaged, len(d.data))
}

// segmentBytes returns the content of the segment after a marker.
func (d *Decoder) segmentBytes(marker uint8) ([]byte, error) {
	rest := d.data[d.position:]
	if len(rest) < 2 {
		return nil, fmt.Errorf("%w: it ends in the segment of marker %#x; fetch the file again", ErrDamaged, marker)
	}
	n := int(binary.BigEndian.Uint16(rest))
	if n < 2 || n > len(rest) {
		return nil, fmt.Errorf("%w: the segment of marker %#x gives its length as %d bytes, %d follow", ErrDamaged,
			marker, n, len(rest))
	}
	d.position += n
	return rest[2:n], nil
}

func (d *Decoder) readSegment(marker uint8, body []byte) error {
	switch marker {
	case markerDHT:
		return d.readHuffman(body)
	case markerDQT:
		return d.readQuant(body)
	case markerDRI:
		return d.readRestart(body)
	case markerAPP0, markerAPP1, markerAPP14:
		d.readApplication(marker, body)
	case markerSOF0, markerSOF1, markerSOF2:
		return d.readFrame(marker, body)
	case markerJPG, markerDAC, markerSOI, markerDNL:
		return fmt.Errorf("%w: marker %#x", ErrUnsupported, marker)
	default:
		if marker > markerSOF2 && marker <= markerSOF15 {
			return fmt.Errorf("%w: coding process of marker %#x, want baseline, sequential or progressive Huffman",
				ErrUnsupported, marker)
		}
	}
	return nil
}

// readApplication reads an application segment (APP0, APP1 or APP14).
func (d *Decoder) readApplication(marker uint8, body []byte) {
	switch {
	case marker == markerAPP0:
		d.jfif = d.jfif || len(body) >= 14 && bytes.HasPrefix(body, []byte("JFIF\x00"))
	case marker == markerAPP1 && d.app1 == nil:
		d.app1 = body
	case marker == markerAPP14 && len(body) >= 12 && bytes.HasPrefix(body, []byte("Adobe")):
		d.adobe = int(body[11])
	}
}

// readFrame reads a start of frame (T.81 B.2.2).
func (d *Decoder) readFrame(marker uint8, b []byte) error {
	if d.frame.componentCount != 0 {
		return fmt.Errorf("%w: a second start of frame", ErrDamaged)
	}
	if len(b) < 6 || len(b) != 6+3*int(b[5]) {
		return fmt.Errorf("%w: start of frame of %d bytes", ErrDamaged, len(b))
	}
	f := frameHeader{
		h: int(binary.BigEndian.Uint16(b[1:])), w: int(binary.BigEndian.Uint16(b[3:])),
		componentCount: int(b[5]), progressive: marker == markerSOF2,
	}
	switch {
	case b[0] != 8:
		return fmt.Errorf("%w: %d-bit samples, want 8", ErrUnsupported, b[0])
	case f.w == 0 || f.h == 0:
		return fmt.Errorf("%w: size %dx%d", ErrDamaged, f.w, f.h)
	case f.componentCount != 1 && f.componentCount != 3 && f.componentCount != 4:
		return fmt.Errorf("%w: %d components, want 1, 3 or 4", ErrUnsupported, f.componentCount)
	}
	for i := range f.componentCount {
		if err := d.readComponent(i, b[6+3*i:]); err != nil {
			return err
		}
	}
	d.frame = f
	return d.setSizes()
}

func (d *Decoder) readComponent(i int, b []byte) error {
	c := &d.components[i]
	c.id, c.h, c.v, c.quantIndex = b[0], int(b[1]>>4), int(b[1]&15), int(b[2])
	c.started, c.predictor = false, 0
	for k := range c.knownBits {
		c.knownBits[k] = unknownBits
	}
	if c.h < 1 || c.h > maxSampling || c.v < 1 || c.v > maxSampling || c.quantIndex >= maxTables {
		return fmt.Errorf("%w: component %d has sampling %dx%d and quantisation table %d, want 1x1 to 4x4 and 0 to 3",
			ErrDamaged, i, c.h, c.v, c.quantIndex)
	}
	return nil
}

func (d *Decoder) readRestart(b []byte) error {
	if len(b) != 2 {
		return fmt.Errorf("%w: restart interval of %d bytes, want 2", ErrDamaged, len(b))
	}
	d.restartInterval = int(binary.BigEndian.Uint16(b))
	return nil
}

// quantTable is a quantisation table in zigzag order.
type quantTable struct {
	defined bool
	step    [blockLen]uint16
}

// readQuant reads quantisation tables (T.81 B.2.4.1).
func (d *Decoder) readQuant(b []byte) error {
	for len(b) > 0 {
		wide, table := int(b[0]>>4), int(b[0]&15)
		n := 1 + blockLen*(wide+1)
		if wide > 1 || table >= maxTables || len(b) < n {
			return fmt.Errorf("%w: quantisation table %d of %d-byte steps in %d bytes", ErrDamaged, table, wide+1, len(b))
		}
		q := &d.quantTables[table]
		q.defined = true
		for k := range q.step {
			if wide == 1 {
				q.step[k] = binary.BigEndian.Uint16(b[1+2*k:])
			} else {
				q.step[k] = uint16(b[1+k])
			}
		}
		b = b[n:]
	}
	return nil
}
