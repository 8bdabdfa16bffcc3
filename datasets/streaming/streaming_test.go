package streaming

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// small is a set of two files of two users, with one period of training and two after it.
var small = RequestOptions{TrainPeriods: 1, Items: 1000, Categories: 10, MaxSequence: 64, MaxCandidates: 8}

// block is one of user u: two candidates, and two entries of history.
func block(u, b int) string {
	return fmt.Sprintf(`"%d,%d","3.5,3.4","%d,%d","1.0,5.0"`, 100*u+b, 100*u+10+b, 100*u+20+b, 100*u+30+b)
}

// files are those of the small set.
func files() map[string][]byte {
	out := map[string][]byte{
		requestsName:       []byte("0\r\n\"1,3\"\r\n\"0,1,2\"\r\n"),
		requestsOffsetName: []byte("\"0,3,10\"\r\n"),
		usersName:          []byte("\"1,1\"\r\n\"1,2\"\r\n\"2,3\"\r\n"),
	}
	var offsets bytes.Buffer
	for f := range 2 {
		var data bytes.Buffer
		var starts []string
		for u := 2 * f; u < 2*f+2; u++ {
			starts = append(starts, strconv.Itoa(data.Len()))
			var blocks []string
			for b := range 5 {
				blocks = append(blocks, block(u, b))
			}
			data.WriteString(strings.Join(blocks, ",") + "\r\n")
		}
		out[strconv.Itoa(f)+".csv"] = data.Bytes()
		fmt.Fprintf(&offsets, "\"%s\"\r\n", strings.Join(starts, ","))
	}
	out[offsetName] = offsets.Bytes()
	return out
}

func TestSample(t *testing.T) {
	set, err := OpenFiles(files(), small)
	if err != nil {
		t.Fatal(err)
	}
	if set.Periods() != 2 || !slices.Equal(set.Requests(0), []int32{1, 3}) {
		t.Fatalf("%d periods, requests %v", set.Periods(), set.Requests(0))
	}
	s, err := set.ReadSample(1, 2) // of user 2: blocks 0, 1 and 3 are history, block 4 is asked
	if err != nil {
		t.Fatal(err)
	}
	want := &RequestSample{
		User:       2,
		History:    ItemEntries{[]int32{220, 230, 221, 231, 223, 233}, []uint16{2, 2, 2, 2, 2, 2}},
		Weights:    []uint8{1, 16, 1, 16, 1, 16},
		Candidates: ItemEntries{[]int32{204, 214}, []uint16{2, 2}},
		Labels:     []uint8{1, 0},
	}
	if fmt.Sprint(s) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", s, want)
	}
	if err := set.CheckRequests(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestFolder: the same from files, with lines that end in LF alone.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	for name, data := range files() {
		if name == requestsName {
			data = bytes.ReplaceAll(data, []byte("\r"), nil)
		} else if name == requestsOffsetName {
			data = []byte(`"0,2,8"`)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	set, err := Open(dir, small)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = set.Close() }()
	if err := set.CheckRequests(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := Open(filepath.Join(dir, "0.csv"), small); !errors.Is(err, ErrDataset) {
		t.Errorf("a file: %v", err)
	}
}

// replaced changes a text of one of the small set's files.
func replaced(t *testing.T, name, from, to string) map[string][]byte {
	t.Helper()
	all := files()
	if !bytes.Contains(all[name], []byte(from)) {
		t.Fatalf("%s has no %q", name, from)
	}
	all[name] = bytes.Replace(all[name], []byte(from), []byte(to), 1)
	return all
}

func TestFaultsOfIndexes(t *testing.T) {
	for _, c := range []struct{ name, from, to, want string }{
		{requestsName, "\"1,3\"", "     ", "line 2 (period 1): no requests"},
		{requestsName, "1,3", "0,4", "request 1 is of user 4, which is not in file 1.csv: that has users 2 to 3"},
		{requestsName, "1,3", "1,x", `line 2 (period 1): number 2 is "x"`},
		{requestsName, "1,3", "1, ", `line 2 (period 1): number 2 is " "`},
		{requestsName, "0,1,2", "0,1,", "line 3 (period 2): it ends in a comma"},
		{requestsOffsetName, "0,3,10", "0,4,10", "line 2 (period 1): no line of requests_per_ts.csv begins at byte 4"},
		{requestsOffsetName, "0,3,10", "0,3", "2 periods, and 3 in users_cumsum_per_ts.csv"},
		{requestsOffsetName, "0,3,10", "0,3,1000", "which has 19"},
		{usersName, "1,2", "2,1", "want a number for each file that rises to the number of requests"},
		{usersName, "1,2", "3,2", "want numbers that rise to 2"},
		{usersName, "1,2", "2", "2 requests to 2 files"},
		{usersName, "\"1,2\"", "1,2", "several cells, want one"},
		{offsetName, "\"0,", "\"3,", "offset.csv, line 1: user 0 begins at byte 3 of 0.csv, want the first at 0"},
		{offsetName, "\"\r\n", ",0\"\r\n", "want the first at 0, each after the one before (176), and all within its"},
		{offsetName, "\"0,", "\"0,7,", "offset.csv, line 2: 2 users, want as many of each file"},
		{offsetName, "\"0,", "\"\"\n\"\"\n\"0,", "line 1: 0 users, want as many of each file, at least 1"},
	} {
		_, err := OpenFiles(replaced(t, c.name, c.from, c.to), small)
		if !errors.Is(err, ErrDataset) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s with %q for %q: %v, want %q", c.name, c.to, c.from, err, c.want)
		}
	}
	for name := range files() {
		all := files()
		delete(all, name)
		if _, err := OpenFiles(all, small); err == nil || !strings.Contains(err.Error(), name+": file does not exist") {
			t.Errorf("without %s: %v", name, err)
		}
		all[name] = nil
		if _, err := OpenFiles(all, small); err == nil {
			t.Errorf("%s is empty: no error", name)
		}
	}
	for _, o := range []RequestOptions{
		{}, {TrainPeriods: -1, Items: 10, Categories: 1, MaxSequence: 9, MaxCandidates: 8},
		{Items: 10, Categories: 11, MaxSequence: 9, MaxCandidates: 8},
		{Items: 10, Categories: 1, MaxSequence: 8, MaxCandidates: 8},
		{TrainPeriods: 3, Items: 10, Categories: 1, MaxSequence: 9, MaxCandidates: 8},
	} {
		if _, err := OpenFiles(files(), o); !errors.Is(err, ErrDataset) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// TestFaultsOfLines: each is an error of the request that names file, line and period. Texts have one length, so that
// the offsets stand.
func TestFaultsOfLines(t *testing.T) {
	const mine = `"300,310"` // base block of user 3, whose candidates do not matter
	for _, c := range []struct{ from, to, want string }{
		{`"302,312"`, `"302,312 `, "cell 9: "},
		{`"303,313","3.5,3.4"`, `,                  `, "the period (cells 13 and 14): ids: no numbers"},
		{`"3.5,3.4","323`, `         ,"323`, "2 ids and 0 ratings, want a rating for each"},
		{`"3.5,3.4","323`, `3.5      ,"323`, "2 ids and 1 ratings, want a rating for each"},
		{`"320,330"`, `         `, `history: ids: number 1 is ",321`},
		{`"320,330"`, `32033    `, "history: 3 ids and 4 ratings"},
		{`"324,334","1.0,5.0"`, `"324,334","1.0,5.0 `, "cell 20: it begins with a quote"},
		{`"320,330"`, `"20,3300"`, "history: id 2 is 3300, want 0 to 999"},
		{`"320,330"`, `"320,-30"`, "history: id 2 is -30, want 0 to 999"},
		{`"320,330"`, `"320;330"`, `history: ids: number 1 is ";330`},
		{`"320,330"`, `"320,03 "`, `history: ids: number 2 is "03`},
		{`"320,330"`, `"[320,3]"`, "it begins or ends with a bracket, and is no list"},
		{`"320,330"`, `"320,3"30`, `follows its quotes`},
		{`"1.0,5.0","301`, `"1.0,6.0","301`, "history: rating 2 is 6, want 1 to 5"},
		{`"1.0,5.0","301`, `"1.0,NaN","301`, `history: ratings: number 2 is "NaN`},
		{`"1.0,5.0","301`, `"-5.,5.0","301`, `history: ratings: number 1 is "-5.`},
		{`"1.0,5.0","301`, `"-5,15.0","301`, "history: rating 1 is -5, want 1 to 5"},
		{`"304,`, `"304"`, "follows its quotes"},
		{`1.0,5.0"` + "\r\n", `1.0,5.0",` + "\n", "21 cells, want 20: 4 for each of 3 periods, and 8"},
	} {
		all := files()
		line := bytes.Index(all["1.csv"], []byte(mine))
		at := bytes.Index(all["1.csv"][line:], []byte(c.from))
		if at < 0 {
			t.Fatalf("no %q", c.from)
		}
		copy(all["1.csv"][line+at:], c.to)
		set, err := OpenFiles(all, small)
		if err != nil {
			t.Fatal(err)
		}
		_, err = set.ReadSample(0, 1)
		const where = "1.csv, line 2 (user 3), for period 1, request 1: "
		if !errors.Is(err, ErrDataset) || !strings.Contains(err.Error(), where) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q for %q: %v, want %q", c.to, c.from, err, c.want)
		}
		if err := set.CheckRequests(t.Context()); !errors.Is(err, ErrDataset) {
			t.Errorf("%q for %q: all samples are right, %v", c.to, c.from, err)
		}
	}
}

// TestOffsetsOfAnotherFile: a line that begins elsewhere is found when it is read.
func TestOffsetsOfAnotherFile(t *testing.T) {
	all := files()
	first := bytes.IndexByte(all["1.csv"], '\n') + 1
	for _, wrong := range []int{first - 2, first + 1} {
		text := fmt.Sprintf("\"0,%d\"", first)
		at := bytes.LastIndex(all[offsetName], []byte(text))
		changed := files()
		copy(changed[offsetName][at:], fmt.Sprintf("\"0,%d\"", wrong))
		set, err := OpenFiles(changed, small)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := set.ReadSample(0, 1); err == nil || !strings.Contains(err.Error(), "the byte before is") {
			t.Errorf("offset %d for %d: %v", wrong, first, err)
		}
		if _, err := set.ReadSample(1, 2); err == nil || !strings.Contains(err.Error(), "are not one line") {
			t.Errorf("offset %d for %d: the line before: %v", wrong, first, err)
		}
	}
}

func TestWeightsAsThoseOfNegativeIndexes(t *testing.T) {
	for rating, want := range map[string]uint8{"0.9": 16, "-.5": 0, "-0.5": 16, "-1.9": 8, "-4.0": 1, "5.99": 16, "1": 1} {
		all := files()
		all["0.csv"] = bytes.ReplaceAll(all["0.csv"], []byte("1.0,5.0"), []byte(rating+",5.0"))
		offset := bytes.IndexByte(all["0.csv"], '\n') + 1
		all[offsetName] = bytes.Replace(all[offsetName], bytes.SplitN(all[offsetName], []byte("\r"), 2)[0],
			fmt.Appendf(nil, "\"0,%d\"", offset), 1)
		set, err := OpenFiles(all, small)
		if err != nil {
			t.Fatal(err)
		}
		s, err := set.ReadSample(0, 0)
		if want == 0 {
			if err == nil {
				t.Errorf("rating %s is read", rating)
			}
		} else if err != nil || s.Weights[0] != want {
			t.Errorf("rating %s: %v, %v, want %d", rating, s, err, want)
		}
	}
}

func TestRounding(t *testing.T) {
	big := OfficialOptions()
	big.TrainPeriods = 1
	for _, c := range []struct {
		id, ratings string
		exact       bool
		want        int32
	}{
		{"999999999", "3.5,3.4", false, 1_000_000_000}, {"999999999", "3.5,3.4", true, 999_999_999},
		{"999999999", "3,4", false, 999_999_999}, {"999999999", "3,4e0", false, 1_000_000_000},
		{"16777217", "3,4.0", false, 16_777_216}, {"16777219", "3.0,4", false, 16_777_220},
	} {
		all := files()
		all["0.csv"] = []byte(strings.Replace(block(0, 0)+","+block(0, 1)+","+block(0, 2)+","+block(0, 3), `"3,13","3.5,3.4"`,
			`"3,`+c.id+`","`+c.ratings+`"`, 1))
		all[offsetName], all[requestsName] = []byte("0"), []byte("0\n0\n")
		all[requestsOffsetName], all[usersName] = []byte(`"0,2"`), []byte("1\n1\n")
		big.ExactIDs = c.exact
		set, err := OpenFiles(all, big)
		if err != nil {
			t.Fatal(err)
		}
		s, err := set.ReadSample(0, 0)
		if err != nil || s.Candidates.IDs[1] != c.want {
			t.Errorf("%+v: %v, %v", c, s, err)
		}
	}
}

func FuzzSample(f *testing.F) {
	all := files()
	f.Add(all["0.csv"], all[offsetName], all[requestsName], all[requestsOffsetName], all[usersName])
	f.Add([]byte(`"[1, 2]","1e0,-2",7,3.50,,,,,,,,`), []byte("0"), []byte("0\n0\n"), []byte(`"0,2"`), []byte("1\n1\n"))
	f.Fuzz(func(t *testing.T, users, offsets, requests, starts, ends []byte) {
		set, err := OpenFiles(map[string][]byte{
			"0.csv": users, "1.csv": files()["1.csv"], offsetName: offsets, requestsName: requests, requestsOffsetName: starts,
			usersName: ends,
		}, small)
		if err != nil {
			if !errors.Is(err, ErrDataset) {
				t.Error(err)
			}
			return
		}
		for p := range set.Periods() {
			for r := range set.Requests(p) {
				s, err := set.ReadSample(p, r)
				if err != nil {
					if !errors.Is(err, ErrDataset) {
						t.Error(err)
					}
					continue
				}
				if len(s.History.IDs) != len(s.Weights) || len(s.Candidates.IDs) != len(s.Labels) ||
					len(s.Weights) > small.MaxHistory() || len(s.Labels) > small.MaxCandidates {
					t.Errorf("%+v", s)
				}
			}
		}
	})
}

// official makes a set of the official shape of some users, who all ask in each period: lines of half a megabyte.
func official(users int) map[string][]byte {
	random := rand.New(rand.NewPCG(1, 2))
	list := func(n int, draw func() string) string {
		out := make([]string, n)
		for i := range out {
			out[i] = draw()
		}
		return `"` + strings.Join(out, ",") + `"`
	}
	id := func() string { return strconv.Itoa(random.IntN(1_000_000_000)) }
	rating := func() string { return fmt.Sprintf("%.1f", 1+float64(random.IntN(9))/2) }
	all := map[string][]byte{}
	var data, requests, ends bytes.Buffer
	var offsets, starts, names []string
	for u := range users {
		offsets, names = append(offsets, strconv.Itoa(data.Len())), append(names, strconv.Itoa(u))
		for b := range 102 {
			n := 32
			if b > 91 {
				n = 2048
			}
			if b > 0 {
				data.WriteByte(',')
			}
			cells := []string{list(n, id), list(n, rating), list(70, id), list(70, rating)}
			data.WriteString(strings.Join(cells, ","))
		}
		data.WriteString("\r\n")
	}
	for range 100 {
		starts = append(starts, strconv.Itoa(requests.Len()))
		requests.WriteString(`"` + strings.Join(names, ",") + "\"\r\n")
		ends.WriteString(strconv.Itoa(users) + "\r\n")
	}
	all["0.csv"], all[requestsName], all[usersName] = data.Bytes(), requests.Bytes(), ends.Bytes()
	all[offsetName] = []byte(`"` + strings.Join(offsets, ",") + `"`)
	all[requestsOffsetName] = []byte(`"` + strings.Join(starts, ",") + `"`)
	return all
}

// BenchmarkSample reads requests of the last period of users of the official shape, from a file.
func BenchmarkSample(b *testing.B) {
	const users = 64
	all := official(users)
	dir := b.TempDir()
	for name, data := range all {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	set, err := Open(dir, OfficialOptions())
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = set.Close() }()
	b.SetBytes(int64(len(all["0.csv"]) / users))
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if _, err := set.ReadSample(9, i%users); err != nil {
			b.Fatal(err)
		}
		i++
	}
}
