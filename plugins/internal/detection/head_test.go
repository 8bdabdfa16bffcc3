package detection

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// headCase is an output of a network, and the columns that the library keeps of it.
type headCase struct {
	Name    string
	N       int
	Columns [][5]number
	Scores  [][3]number
	Formula *struct {
		Seed, Classes int
		W, H          float64
		Size          float64
		Bits          uint
	}
	Image      [2]int `json:"img"` // height and width
	Orig       [2]int
	Boxes      [][4]number
	BoxesFirst [][4]number `json:"boxes_first20"`
	Payload    string
	PayloadSum string `json:"payload_sha256"`
	Older      map[string]struct {
		Boxes   [][4]number
		Payload string
	} `json:"unletterbox"`
	Kept    []int
	CutTies bool `json:"cut_ties"`
	NMS     [][6]number
	First   [][6]number `json:"nms_first20"`
}

// number is a float32, or the name of what is none.
type number float32

func (n *number) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case `"nan"`:
		*n = number(math.NaN())
	case `"inf"`:
		*n = number(math.Inf(1))
	case `"-inf"`:
		*n = number(math.Inf(-1))
	default:
		return json.Unmarshal(text, (*float32)(n))
	}
	return nil
}

func (c headCase) output() []float32 {
	out := make([]float32, (4+COCOClasses)*c.N)
	for _, box := range c.Columns {
		for row := range 4 {
			out[row*c.N+int(box[0])] = float32(box[1+row])
		}
	}
	for _, s := range c.Scores {
		out[(4+int(s[1]))*c.N+int(s[0])] = float32(s[2])
	}
	if f := c.Formula; f != nil {
		for k := range c.N {
			u := func(j int) uint64 { return mix(uint64(f.Seed*1000003+16*k+j+1)) >> 40 }
			out[k] = float32(float64(u(0)) * f.W / (1 << 24))
			out[c.N+k] = float32(float64(u(1)) * f.H / (1 << 24))
			out[2*c.N+k] = float32(2 + float64(u(2))*f.Size/(1<<24))
			out[3*c.N+k] = float32(2 + float64(u(3))*f.Size/(1<<24))
			class := int(u(4) % uint64(f.Classes))
			out[(4+class)*c.N+k] = float32(float64(1+u(5)>>(24-f.Bits)) / float64(uint64(1)<<f.Bits))
		}
	}
	return out
}

// mix is the last step of splitmix64.
func mix(z uint64) uint64 {
	z *= 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func TestGoldenHead(t *testing.T) {
	golden.Each(t, "vision/yolo/heads.jsonl", func(t *testing.T, path string) {
		var h DetectionHead
		for _, c := range golden.ReadLines[headCase](t, path) {
			c.check(t, &h)
		}
	})
}

func (c headCase) check(t *testing.T, h *DetectionHead) {
	t.Helper()
	found := h.Detect(c.output(), COCOClasses, c.N)
	var columns []int
	c.NMS = append(c.NMS, c.First...)
	for i, f := range found {
		columns = append(columns, f.Column)
		if i >= len(c.NMS) {
			continue
		}
		want := c.NMS[i]
		if f.Score != float32(want[4]) {
			t.Errorf("%s: detection %d has the score %v, want %v", c.Name, i, f.Score, want[4])
		}
		if got := [5]number{number(f.X1), number(f.Y1), number(f.X2), number(f.Y2), number(f.Class)}; !c.CutTies &&
			!equal(got, [5]number{want[0], want[1], want[2], want[3], want[5]}) {
			t.Errorf("%s: detection %d is %v, want %v", c.Name, i, got, want)
		}
	}
	if c.CutTies {
		return
	}
	if !slices.Equal(columns, c.Kept) {
		t.Errorf("%s: columns %v, want %v", c.Name, columns, c.Kept)
	}
	c.checkRows(t, found)
}

// checkRows compares the boxes in the picture, and the rows of the log, by each of the three rules.
func (c headCase) checkRows(t *testing.T, found []FoundBox) {
	t.Helper()
	in := LetterboxFrame{W: c.Orig[1], H: c.Orig[0], BoxedW: c.Image[1], BoxedH: c.Image[0]}
	for version, u := range map[string]Unletterbox{
		"": UnletterboxExact, "8.4.120": UnletterboxOneScale, "8.3.214": UnletterboxUnrounded,
	} {
		boxes, payload := append(c.Boxes, c.BoxesFirst...), c.Payload
		if version != "" {
			older, ok := c.Older[version]
			if !ok {
				continue
			}
			boxes, payload = older.Boxes, older.Payload
		}
		var rows []byte
		for i, f := range found {
			f = u.RestoreBox(f, in)
			rows = AppendRow(rows, 3, in.ToFractions(f), f.Score, float32(COCOLabel(f.Class)))
			if i >= len(boxes) {
				continue
			}
			if got := [5]number{number(f.X1), number(f.Y1), number(f.X2), number(f.Y2)}; !equal(got,
				[5]number{boxes[i][0], boxes[i][1], boxes[i][2], boxes[i][3]}) {
				t.Errorf("%s %s: box %d is %v, want %v", c.Name, version, i, got, boxes[i])
			}
		}
		if got := hex.EncodeToString(rows); payload != "" && got != payload {
			t.Errorf("%s %s: rows %s, want %s", c.Name, version, got, payload)
		}
		if sum := sha256.Sum256(rows); version == "" && c.PayloadSum != "" && hex.EncodeToString(sum[:]) != c.PayloadSum {
			t.Errorf("%s: other rows", c.Name)
		}
	}
}

// TestCOCOLabel holds the map to the ids that COCO uses.
func TestCOCOLabel(t *testing.T) {
	want := []int{}
	for _, r := range [][2]int{{1, 11}, {13, 25}, {27, 28}, {31, 44}, {46, 65}, {67, 67}, {70, 70}, {72, 82}, {84, 90}} {
		for label := r[0]; label <= r[1]; label++ {
			want = append(want, label)
		}
	}
	var got []int
	for class := range COCOClasses {
		got = append(got, COCOLabel(class))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func equal(a, b [5]number) bool {
	for i := range a {
		if a[i] != b[i] && !(a[i] != a[i] && b[i] != b[i]) {
			return false
		}
	}
	return true
}

func TestDetectKeepsItsMemory(t *testing.T) {
	c := headCase{
		N: 100, Columns: [][5]number{{3, 10, 10, 4, 4}, {7, 10, 10, 4, 4.5}},
		Scores: [][3]number{{3, 1, 0.5}, {7, 1, 0.9}},
	}
	var h DetectionHead
	out := c.output()
	h.Detect(out, COCOClasses, c.N)
	if n := testing.AllocsPerRun(10, func() { h.Detect(out, COCOClasses, c.N) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
	if found := h.Detect(out, COCOClasses, c.N); len(found) != 1 || found[0].Column != 7 {
		t.Errorf("%+v", found)
	}
}
