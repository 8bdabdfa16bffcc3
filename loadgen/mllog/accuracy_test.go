package mllog_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

func TestAccuracyWriter(t *testing.T) {
	for _, c := range []struct {
		name    string
		entries []mllog.AccuracyEntry
		want    string
	}{
		{"none", nil, "[\n]\n"},
		{"empty payload", []mllog.AccuracyEntry{{SeqID: 1, QSLIndex: 2, TokenCount: -1}},
			"[\n{ \"seq_id\" : 1, \"qsl_idx\" : 2, \"data\" : \"\" }\n]\n"},
		{"two", []mllog.AccuracyEntry{
			{SeqID: 0, QSLIndex: 1<<64 - 1, Data: []byte{0, 0xAB, 0xff}, TokenCount: -1},
			{SeqID: 7, QSLIndex: 3, Data: []byte{1}, TokenCount: -1},
		}, "[\n{ \"seq_id\" : 0, \"qsl_idx\" : 18446744073709551615, \"data\" : \"00ABFF\" },\n" +
			"{ \"seq_id\" : 7, \"qsl_idx\" : 3, \"data\" : \"01\" }\n]\n"},
		{"token count", []mllog.AccuracyEntry{{Data: []byte{1}, TokenCount: 5}},
			"[\n{ \"seq_id\" : 0, \"qsl_idx\" : 0, \"data\" : \"01\", \"token_count\" : 5 }\n]\n"},
		{"tokens", []mllog.AccuracyEntry{{Data: []byte{1}, TokenData: []byte{}, TokenCount: 0}},
			"[\n{ \"seq_id\" : 0, \"qsl_idx\" : 0, \"data\" : \"01\", \"token_data\" : \"\", \"token_count\" : 0 }\n]\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			w := mllog.NewAccuracyWriter(&out)
			for _, e := range c.entries {
				if err := w.WriteEntry(e); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if out.String() != c.want {
				t.Errorf("got %q\nwant %q", out.String(), c.want)
			}
			if n := w.Entries(); n != uint64(len(c.entries)) {
				t.Errorf("%d entries, want %d", n, len(c.entries))
			}
		})
	}
}

// fill makes a payload that identifies its id.
func fill(payload []byte, id uint64) {
	for i := range min(len(payload), 256) {
		payload[i] = byte(id + uint64(i)*7)
	}
	for n := 256; n < len(payload); n *= 2 {
		copy(payload[n:], payload[:n])
	}
}

var errDisk = errors.New("no space left")

type full struct{ left int }

func (f *full) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errDisk
	}
	return len(p), nil
}

func TestAccuracyWriterFails(t *testing.T) {
	w := mllog.NewAccuracyWriter(&full{left: 1 << 20})
	payload := make([]byte, 1<<20)
	var err error
	for range 200 { // more than may wait: the writer must not block forever
		if err = w.Write(0, 0, payload); err != nil {
			break
		}
	}
	if !errors.Is(err, errDisk) {
		t.Errorf("Write: %v, want the disk's error", err)
	}
	if err := w.Close(); !errors.Is(err, errDisk) {
		t.Errorf("Close: %v, want the disk's error", err)
	}
	if err := w.Write(0, 0, nil); err == nil {
		t.Error("Write after Close succeeds")
	}
}

func TestNilAccuracyWriter(t *testing.T) {
	var w *mllog.AccuracyWriter
	if err := errors.Join(w.Write(1, 2, nil), w.Close()); err != nil || w.Entries() != 0 {
		t.Errorf("%v, %d entries", err, w.Entries())
	}
}

func TestAccuracyReader(t *testing.T) {
	const entry = `{ "seq_id" : 3, "qsl_idx" : 4, "data" : "0aFf" }`
	for _, c := range []struct{ name, log, want string }{
		{"official", "[\n" + entry + "\n]\n", "3 4 0aff -1"},
		{"packed", `[{"data":"","qsl_idx":4,"token_count":-2,"seq_id":3,"token_data":"00"}]`, "3 4  -2"},
		{"none", "[ ]", ""},
		{"empty file", "", "byte 0: the log ends here, without ]"},
		{"unfinished", "[\n" + entry, "entry 1 at byte 50: the log ends here, without ]"},
		{"cut", "[\n" + entry[:30], "entry 0 at byte 2: the log ends here, without ]"},
		{"not a log", "hello", `entry 0 at byte 0: want [ at the start, found 'h'`},
		{"no comma", "[" + entry + entry + "]", `entry 1 at byte 49: want , or ] after an entry, found '{'`},
		{"trailing comma", "[" + entry + ",]", `entry 1 at byte 50: want { at the start of an entry, found ']'`},
		{"more after", "[" + entry + "]x", "want the end of the log after ], found 'x'"},
		{"odd digits", `[{"seq_id":1,"qsl_idx":2,"data":"abc"}]`, "at byte 32: a payload of an odd number of digits"},
		{"not hex", `[{"seq_id":1,"qsl_idx":2,"data":"ab0g"}]`, "at byte 36: want a hexadecimal digit, found 'g'"},
		{"not hex, first digit", `[{"seq_id":1,"qsl_idx":2,"data":"abz0"}]`,
			"at byte 35: want a hexadecimal digit, found 'z'"},
		{"truncated by the submission tools",
			"[\n" + `{ "seq_id" : 3, "qsl_idx" : 4, "da` + "\n\n...\n\n" + `"00" }` + "\n]\n", "byte 2: the log was shortened"},
		{"field missing", `[{"seq_id":1,"data":"00"}]`, "the entry lacks qsl_idx"},
		{"field twice", `[{"seq_id":1,"seq_id":2,"qsl_idx":1,"data":"00"}]`, "occurs twice"},
		{"unknown field", `[{"seq_id":1,"tokens":2}]`, `unknown field "tokens"`},
		{"negative index", `[{"seq_id":-1,"qsl_idx":1,"data":""}]`, `want a number, found "-1`},
		{"huge index", `[{"seq_id":18446744073709551616,"qsl_idx":1,"data":""}]`, "beyond 64 bits"},
		{"huge token count", `[{"seq_id":1,"qsl_idx":1,"data":"","token_count":9223372036854775808}]`, "beyond 63 bits"},
		{"open string", `[{"seq_id":1,"qsl_idx":1,"data":"00}]`, "without its closing quote"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := accuracyText(strings.NewReader(c.log))
			slow := accuracyText(iotest.OneByteReader(strings.NewReader(c.log)))
			if !strings.Contains(got, c.want) || got == "" != (c.want == "") {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if got != slow {
				t.Errorf("read byte by byte: %q, else %q", slow, got)
			}
		})
	}
}

// accuracyText returns a short form of the entries of a log, and its error.
func accuracyText(r io.Reader) string {
	var b strings.Builder
	err := eachEntry(r, func(e mllog.AccuracyEntry) error {
		fmt.Fprintf(&b, "%d %d %x %d", e.SeqID, e.QSLIndex, e.Data, e.TokenCount)
		return nil
	})
	if err != nil {
		fmt.Fprintf(&b, " error: %v", err)
	}
	return b.String()
}

// TestAccuracyReaderOfLargePayloads reads payloads that are larger than the reader's buffer, in pieces of any size.
func TestAccuracyReaderOfLargePayloads(t *testing.T) {
	const window = 256 << 10 // digits
	for _, size := range []int{window/2 - 40, window / 2, window/2 + 1, window + 3, 3*window + 1} {
		log := accuracyLog(2, size)
		for name, r := range map[string]io.Reader{
			"at once": bytes.NewReader(log), "half": iotest.HalfReader(bytes.NewReader(log)),
			"byte by byte": iotest.OneByteReader(bytes.NewReader(log)),
		} {
			want, i := make([]byte, size), uint64(0)
			err := eachEntry(r, func(e mllog.AccuracyEntry) error {
				fill(want, i)
				if e.SeqID != i || e.QSLIndex != 7*i || !bytes.Equal(e.Data, want) {
					t.Errorf("%d bytes, %s: entry %d, sample %d, or another payload", size, name, e.SeqID, e.QSLIndex)
				}
				i++
				return nil
			})
			if err != nil || i != 2 {
				t.Errorf("%d bytes, %s: %d entries, %v", size, name, i, err)
			}
		}
		wrong := bytes.LastIndexByte(log, '"') - 1
		log[wrong] = 'x'
		err := eachEntry(bytes.NewReader(log), func(mllog.AccuracyEntry) error { return nil })
		want := fmt.Sprintf("entry 1 at byte %d: want a hexadecimal digit, found 'x'", wrong)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d bytes: %v, want %s", size, err, want)
		}
	}
}

func TestAccuracyReaderKeepsItsError(t *testing.T) {
	r := mllog.NewAccuracyReader(io.MultiReader(strings.NewReader("[\n"), iotest.ErrReader(errDisk)))
	for range 2 {
		if _, err := r.Next(); !errors.Is(err, errDisk) {
			t.Errorf("%v, want the reader's error", err)
		}
	}
}

func FuzzAccuracyReader(f *testing.F) {
	f.Add([]byte("[\n{ \"seq_id\" : 0, \"qsl_idx\" : 36, \"data\" : \"24000000\", \"token_data\" : \"24\", " +
		"\"token_count\" : 5 },\n{ \"seq_id\" : 1, \"qsl_idx\" : 6, \"data\" : \"\" }\n]\n"))
	f.Add([]byte("[\n]\n"))
	f.Add([]byte("[{}]"))
	f.Fuzz(func(t *testing.T, log []byte) {
		var again bytes.Buffer
		w := mllog.NewAccuracyWriter(&again)
		err := eachEntry(bytes.NewReader(log), w.WriteEntry)
		if cerr := w.Close(); cerr != nil {
			t.Fatal(cerr)
		}
		if err != nil {
			return
		}
		first, second := accuracyText(bytes.NewReader(log)), accuracyText(bytes.NewReader(again.Bytes()))
		if negative := strings.Contains(first, " -"); first != second && !negative {
			t.Errorf("read %q, written and read again %q", first, second)
		}
	})
}

// BenchmarkAccuracyReader reads logs in memory. The bytes are those of the log.
func BenchmarkAccuracyReader(b *testing.B) {
	for _, size := range []int{4, 400, 1 << 20} {
		log := accuracyLog(max(2, 32<<20/(2*size+50)), size)
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			b.SetBytes(int64(len(log)))
			b.ReportAllocs()
			for b.Loop() {
				if err := eachEntry(bytes.NewReader(log), func(mllog.AccuracyEntry) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func accuracyLog(entries, size int) []byte {
	var b bytes.Buffer
	payload := make([]byte, size)
	b.WriteString("[")
	for i := range entries {
		fill(payload, uint64(i))
		fmt.Fprintf(&b, "%s\n{ \"seq_id\" : %d, \"qsl_idx\" : %d, \"data\" : \"%s\" }",
			map[bool]string{true: ",", false: ""}[i > 0], i, i*7, strings.ToUpper(hex.EncodeToString(payload)))
	}
	b.WriteString("\n]\n")
	return b.Bytes()
}

// BenchmarkAccuracyWriter writes entries and discards the log. The bytes are those of the payloads.
func BenchmarkAccuracyWriter(b *testing.B) {
	for _, size := range []int{4, 400, 1 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			payload := make([]byte, size)
			w := mllog.NewAccuracyWriter(io.Discard)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if err := w.Write(1, 2, payload); err != nil {
					b.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

func TestAccuracyWriterDigits(t *testing.T) {
	payload := make([]byte, 256+3) // every byte, and a length that is not a multiple of a word
	fill(payload, 0)
	for i := range 256 {
		payload[i] = byte(i)
	}
	var out bytes.Buffer
	w := mllog.NewAccuracyWriter(&out)
	if err := errors.Join(w.Write(0, 0, payload), w.Close()); err != nil {
		t.Fatal(err)
	}
	if want := strings.ToUpper(hex.EncodeToString(payload)); !strings.Contains(out.String(), `"`+want+`"`) {
		t.Errorf("got %s, want %s in it", out.String(), want)
	}
}
