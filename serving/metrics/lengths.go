package metrics

import "math"

// MeanLengths contains the mean lengths of answered requests in tokens, as requested and as counted by the server.
type MeanLengths struct {
	In  *MeanLength `json:"in,omitempty"`
	Out *MeanLength `json:"out,omitempty"`
}

// MeanLength is a mean length over the requests with a known requested and received length.
type MeanLength struct {
	N     int     `json:"n"`
	Asked float64 `json:"asked"` // mean requested length
	Got   float64 `json:"got"`   // mean received length
	Exact int     `json:"exact"` // number of lengths received as requested
}

// minDifference is the minimum relative difference that requires a note.
const minDifference = 0.02

// OffBy returns the relative difference of the received length from the requested one. tell reports whether it is large
// enough for a note.
func (l *MeanLength) OffBy() (share float64, noteworthy bool) {
	if l == nil || l.Asked == 0 {
		return 0, false
	}
	share = (l.Got - l.Asked) / l.Asked
	return share, math.Abs(share) >= minDifference
}

// meanLengths compares requested and received lengths.
func meanLengths(inside []*Measured) *MeanLengths {
	var in, out MeanLength
	for _, m := range inside {
		if m.Found == OK {
			in.addPair(m.AskedIn, m.Usage.Prompt)
			out.addPair(m.AskedOut, m.Out)
		}
	}
	l := MeanLengths{in.divideSums(), out.divideSums()}
	if l == (MeanLengths{}) {
		return nil
	}
	return &l
}

func (l *MeanLength) addPair(asked, got int64) {
	if asked <= 0 || got < 0 {
		return
	}
	l.N++
	l.Asked += float64(asked)
	l.Got += float64(got)
	if asked == got {
		l.Exact++
	}
}

// divideSums replaces sums by means; nil without requests.
func (l *MeanLength) divideSums() *MeanLength {
	if l.N == 0 {
		return nil
	}
	l.Asked /= float64(l.N)
	l.Got /= float64(l.N)
	return l
}
