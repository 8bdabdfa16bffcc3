package jpeg

import (
	"errors"
	"fmt"
)

// maxScans limits the work that a small file can cause; progressive files have about ten scans.
const maxScans = 500

// scanHeader contains the values of a start-of-scan segment (T.81 B.2.3).
type scanHeader struct {
	components []*colourComponent
	from, to   int // spectral selection: first and last coefficient
	high, low  int // successive approximation: previous and current bit position
	mcusX      int
	mcusY      int
}

// readScans reads the scans and the segments between them. The first start-of-scan marker has already been read. A
// sequential file is complete after the last component's scan, a progressive file at its end-of-image marker.
func (d *Decoder) readScans() error {
	for {
		if err := d.readScan(); err != nil {
			return err
		}
		if !d.frame.progressive && d.allStarted() {
			return nil
		}
		marker, err := d.readSegments()
		if err != nil {
			return err
		}
		if marker == markerEOI {
			break
		}
	}
	if !d.frame.progressive { // libjpeg displays a progressive file with missing components
		return fmt.Errorf("%w: it ends before every component has had a scan", ErrDamaged)
	}
	return nil
}

func (d *Decoder) allStarted() bool {
	for i := range d.frame.componentCount {
		if !d.components[i].started {
			return false
		}
	}
	return true
}

func (d *Decoder) readScan() error {
	if d.scanCount++; d.scanCount > maxScans {
		return fmt.Errorf("%w: more than %d scans", ErrDamaged, maxScans)
	}
	var list [maxComponents]*colourComponent
	s, err := d.readScanHeader(list[:0])
	if err != nil {
		return err
	}
	for _, c := range s.components {
		if err := d.startComponent(c); err != nil {
			return err
		}
	}
	s.noteKnown()
	return d.readIntervals(&s)
}

// readScanHeader reads a start-of-scan segment.
func (d *Decoder) readScanHeader(list []*colourComponent) (scanHeader, error) {
	b, err := d.segmentBytes(markerSOS)
	if err != nil {
		return scanHeader{}, err
	}
	if len(b) < 1 || len(b) != 4+2*int(b[0]) || b[0] < 1 || int(b[0]) > d.frame.componentCount {
		return scanHeader{}, fmt.Errorf("%w: start of scan of %d bytes", ErrDamaged, len(b))
	}
	n := int(b[0])
	s := scanHeader{components: list}
	for i := range n {
		c, err := d.scanComponent(b[1+2*i], b[2+2*i])
		if err != nil {
			return scanHeader{}, err
		}
		s.components = append(s.components, c)
	}
	p := b[1+2*n:]
	s.from, s.to, s.high, s.low = int(p[0]), int(p[1]), int(p[2]>>4), int(p[2]&15)
	s.mcusX, s.mcusY = d.frame.mcusX, d.frame.mcusY
	if n == 1 {
		s.mcusX, s.mcusY = s.components[0].blocksX, s.components[0].blocksY
	}
	return s, d.checkScan(&s)
}

// scanComponent returns the component of a scan and sets its tables.
func (d *Decoder) scanComponent(id, tables uint8) (*colourComponent, error) {
	dc, ac := int(tables>>4), int(tables&15)
	if dc >= maxTables || ac >= maxTables {
		return nil, fmt.Errorf("%w: a scan uses Huffman tables %d and %d, want 0 to 3", ErrDamaged, dc, ac)
	}
	if err := errors.Join(d.useTypicalTable(0, dc), d.useTypicalTable(1, ac)); err != nil {
		return nil, err
	}
	for i := range d.frame.componentCount {
		if c := &d.components[i]; c.id == id {
			c.dcTable, c.acTable = d.huffmanTable(0, dc), d.huffmanTable(1, ac)
			return c, nil
		}
	}
	return nil, fmt.Errorf("%w: a scan of component %d, which the frame lacks", ErrDamaged, id)
}

// checkScan checks that the scan's parameters match the frame and that its tables exist.
func (d *Decoder) checkScan(s *scanHeader) error {
	wantDC, wantAC := true, true
	if d.frame.progressive {
		wantDC, wantAC = s.from == 0 && s.high == 0, s.from > 0
		if !s.isProgressive() {
			return fmt.Errorf("%w: progressive scan of %d components, coefficients %d-%d, bits %d-%d", ErrDamaged,
				len(s.components), s.from, s.to, s.high, s.low)
		}
	}
	for i, c := range s.components {
		for _, other := range s.components[:i] {
			if c == other {
				return fmt.Errorf("%w: a scan names a component twice", ErrDamaged)
			}
		}
		if wantDC && !c.dcTable.defined || wantAC && !c.acTable.defined {
			return fmt.Errorf("%w: a scan uses a Huffman table that the file lacks", ErrDamaged)
		}
	}
	return nil
}

// isProgressive reports whether the parameters are valid for a progressive scan (T.81 G.1.1.1). Such a scan contains
// only DC coefficients, or AC coefficients of one component, and either their leading bits or one more bit.
func (s *scanHeader) isProgressive() bool {
	const maxLow = 13
	if s.from == 0 && s.to > 0 || s.from > 0 && len(s.components) > 1 {
		return false
	}
	inside := s.from <= s.to && s.to < blockLen && s.low <= maxLow
	return inside && (s.high == 0 || s.high == s.low+1)
}

// startComponent stores the quantisation table of a component at its first scan.
func (d *Decoder) startComponent(c *colourComponent) error {
	if c.started {
		return nil
	}
	if !d.quantTables[c.quantIndex].defined {
		return fmt.Errorf("%w: a component uses quantisation table %d, which the file lacks", ErrDamaged, c.quantIndex)
	}
	c.scale.setTable(&d.quantTables[c.quantIndex])
	c.started = true
	return nil
}

// readIntervals reads the entropy-coded data of a scan, one restart interval after the other.
func (d *Decoder) readIntervals(s *scanHeader) error {
	total := s.mcusX * s.mcusY
	interval := total
	if d.restartInterval > 0 {
		interval = d.restartInterval
	}
	for from := 0; from < total; from += interval {
		if from > 0 {
			if err := d.readRestartMarker(from/interval - 1); err != nil {
				return err
			}
		}
		d.position += d.bits.loadInterval(d.data[d.position:])
		if err := d.readMCUs(s, from, min(from+interval, total)); err != nil {
			return err
		}
	}
	return nil
}

// readRestartMarker reads restart marker i of a scan.
func (d *Decoder) readRestartMarker(i int) error {
	marker, err := d.nextMarker()
	if err != nil {
		return err
	}
	if want := uint8(markerRST0 + i%8); marker != want {
		return fmt.Errorf("%w: marker %#x, want restart marker %#x", ErrDamaged, marker, want)
	}
	return nil
}

// readMCUs decodes the minimum coded units from to end-1 of a scan.
func (d *Decoder) readMCUs(s *scanHeader, from, end int) error {
	d.eobRun = 0
	for _, c := range s.components {
		c.predictor = 0
	}
	x, y := from%s.mcusX, from/s.mcusX
	for i := from; i < end; i++ {
		if err := d.readMCU(s, x, y); err != nil {
			return fmt.Errorf("%w: %w in MCU %d of %d; fetch the file again", ErrDamaged, err, i, s.mcusX*s.mcusY)
		}
		if x++; x == s.mcusX {
			x, y = 0, y+1
		}
	}
	return nil
}

func (d *Decoder) readMCU(s *scanHeader, x, y int) error {
	if len(s.components) == 1 {
		return d.readBlock(s, s.components[0], x, y)
	}
	for _, c := range s.components {
		for v := range c.v {
			for h := range c.h {
				if err := d.readBlock(s, c, x*c.h+h, y*c.v+v); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Faults of a block.
var (
	errShort = errors.New("the data end early")
	errCode  = errors.New("an invalid code")
)

// readBlock decodes block x, y of a component.
func (d *Decoder) readBlock(s *scanHeader, c *colourComponent, x, y int) error {
	ok := false
	switch {
	case d.frame.progressive:
		at := blockLen * (y*c.stride/blockSide + x)
		ok = d.refineBlock(s, c, (*[blockLen]int16)(c.coefficients[at:]))
	case c.neededBlocks.contains(x, y):
		var b dctBlock
		end := d.bits.readBlock(c, &b)
		if ok = end >= 0; ok {
			b.writeSamples(c.plane[blockSide*(y*c.stride+x):], c.stride, end)
		}
	default:
		ok = d.bits.skipBlock(c) >= 0
	}
	switch {
	case d.bits.isOverrun():
		return errShort
	case !ok:
		return errCode
	}
	return nil
}
