package metrics

import "math"

// MeanLengths are the mean lengths of answered requests in tokens, as requested and as counted by the server.
type MeanLengths struct {
	In  *MeanLength `json:"in,omitempty"`
	Out *MeanLength `json:"out,omitempty"`
}

// MeanLength is a mean length over the requests with a known requested and received length.
type MeanLength struct {
	N     int     `json:"n"`
	Asked float64 `json:"asked"` // mean
	Got   float64 `json:"got"`   // mean
	Exact int     `json:"exact"` // how many were got as asked for
}

// tellFrom is the share from which a difference is worth a note.
const tellFrom = 0.02

// OffBy returns the relative difference of the received length from the requested one; tell reports that a reader has
// to know it.
func (l *MeanLength) OffBy() (share float64, tell bool) {
	if l == nil || l.Asked == 0 {
		return 0, false
	}
	share = (l.Got - l.Asked) / l.Asked
	return share, math.Abs(share) >= tellFrom
}

// meanLengths compares them.
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

// divideSums divides sums; nil where there is nothing.
func (l *MeanLength) divideSums() *MeanLength {
	if l.N == 0 {
		return nil
	}
	l.Asked /= float64(l.N)
	l.Got /= float64(l.N)
	return l
}
