package wire_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
	"github.com/plumbline-ml/plumbline/sdk/internal/wire"
)

func TestSamplesAreLittleEndianPairs(t *testing.T) {
	samples := []loadgen.QuerySample{{ID: 1, Index: 0x01020304}, {ID: 0xfffffffe, Index: 2}}
	want := []byte{1, 0, 0, 0, 4, 3, 2, 1, 0xfe, 0xff, 0xff, 0xff, 2, 0, 0, 0}
	if got := wire.SampleBytes(samples); !bytes.Equal(got, want) {
		t.Errorf("% x, want % x", got, want)
	}
	for shift := range 4 { // at any alignment
		shifted := append(make([]byte, shift), want...)[shift:]
		got, err := wire.Samples(shifted)
		if err != nil || !slices.Equal(got, samples) {
			t.Errorf("shift %d: %v, error %v", shift, got, err)
		}
		words, err := wire.Words[uint32]("words", shifted)
		if err != nil || !slices.Equal(words, []uint32{1, 0x01020304, 0xfffffffe, 2}) {
			t.Errorf("shift %d: %v, error %v", shift, words, err)
		}
	}
	if _, err := wire.Samples(want[:12]); err == nil {
		t.Error("half a sample is no error")
	}
	if got, err := wire.Samples(nil); got != nil || err != nil || wire.SampleBytes(nil) != nil ||
		wire.Bytes[uint32](nil) != nil {
		t.Error("nothing is not nothing")
	}
}

// fill adds payloads of these sizes to b, in several calls, and returns the expected answers.
func fill(b *wire.AnswerBuffer, calls ...[]int) []loadgen.QuerySampleResponse {
	var want []loadgen.QuerySampleResponse
	for _, sizes := range calls {
		var ids []loadgen.ResponseID
		var data []byte
		var ends []int
		for _, size := range sizes {
			id := loadgen.ResponseID(7 * (len(want) + 1))
			payload := bytes.Repeat([]byte{byte(id)}, size)
			ids, data = append(ids, id), append(data, payload...)
			ends = append(ends, len(data))
			want = append(want, loadgen.QuerySampleResponse{ID: id, Data: payload})
		}
		b.Add(wire.AnswerBatch{IDs: ids, Data: append(data, "the memory of the next batch"...), Ends: ends})
	}
	return want
}

func read(t *testing.T, m *pluginpb.Answers, at int) []loadgen.QuerySampleResponse {
	t.Helper()
	a, err := wire.ParseAnswers(m)
	if err != nil {
		t.Fatal(err)
	}
	var got []loadgen.QuerySampleResponse
	rs := make([]loadgen.QuerySampleResponse, at)
	for n := a.Next(rs); n > 0; n = a.Next(rs) {
		got = append(got, rs[:n]...)
	}
	return got
}

func same(a, b loadgen.QuerySampleResponse) bool {
	return a.ID == b.ID && bytes.Equal(a.Data, b.Data) && a.NTokens == b.NTokens
}

func TestAnswersComeBackAsTheyWere(t *testing.T) {
	b := &wire.AnswerBuffer{}
	for name, c := range map[string]struct {
		calls [][]int
		fixed bool
	}{
		"none":                   {nil, true},
		"one":                    {[][]int{{4}}, true},
		"alike":                  {[][]int{{4, 4}, {4}, {4, 4, 4}}, true},
		"empty":                  {[][]int{{0, 0}, {0}}, true},
		"differ within a call":   {[][]int{{4, 4, 5}, {4}}, false},
		"differ in a later call": {[][]int{{4, 4}, {4}, {3, 4}}, false},
		"empty ones among them":  {[][]int{{0, 1, 0}, {0}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			b.Reset() // may contain data of another case
			want := fill(b, c.calls...)
			m := &pluginpb.Answers{}
			b.Fill(m)
			if fixed := len(m.PayloadSizes) == 0; fixed != c.fixed {
				t.Errorf("one size for all: %v, want %v", fixed, c.fixed)
			}
			encoded, err := proto.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			back := &pluginpb.Answers{}
			if err := proto.Unmarshal(encoded, back); err != nil {
				t.Fatal(err)
			}
			for _, at := range []int{1, 2, 100} {
				if got := read(t, back, at); !slices.EqualFunc(got, want, same) {
					t.Errorf("%d at a time: %v, want %v", at, got, want)
				}
			}
			if b.Len() != len(want) {
				t.Errorf("%d answers, want %d", b.Len(), len(want))
			}
		})
	}
}

func TestTokenCounts(t *testing.T) {
	m := &pluginpb.Answers{Ids: wire.Bytes([]uint32{1, 2}), PayloadSize: 1, Payloads: []byte("ab"),
		TokenCounts: wire.Bytes([]uint32{30, 40})}
	want := []loadgen.QuerySampleResponse{{ID: 1, Data: []byte("a"), NTokens: 30}, {ID: 2, Data: []byte("b"), NTokens: 40}}
	if got := read(t, m, 1); !slices.EqualFunc(got, want, same) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestAnswersThatDoNotFitTogether(t *testing.T) {
	two := wire.Bytes([]uint32{1, 2})
	for part, m := range map[string]*pluginpb.Answers{
		"ids of answers: 3 bytes, want a multiple of 4": {Ids: []byte{1, 2, 3}},
		"payload sizes: 5 bytes":                        {Ids: two, PayloadSizes: make([]byte, 5)},
		"token counts: 1 bytes":                         {Ids: two, TokenCounts: []byte{1}},
		"1 payload sizes for 2 answers": {Ids: two, PayloadSizes: wire.Bytes([]uint32{4}),
			Payloads: make([]byte, 4)},
		"1 token counts for 2 answers":              {Ids: two, TokenCounts: wire.Bytes([]uint32{4})},
		"9 bytes of payloads, their sizes sum to 8": {Ids: two, PayloadSize: 4, Payloads: make([]byte, 9)},
		"7 bytes of payloads, their sizes sum to 8": {Ids: two, PayloadSizes: wire.Bytes([]uint32{1, 7}),
			Payloads: make([]byte, 7)},
		"their sizes sum to 8589934590": {Ids: two, PayloadSize: 1<<32 - 1},
	} {
		if _, err := wire.ParseAnswers(m); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("error %v, want %q", err, part)
		}
	}
}

func FuzzParseAnswers(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0}, uint32(4), []byte(nil), []byte{1, 2, 3, 4}, []byte(nil))
	f.Add([]byte{1, 0, 0, 0, 2, 0, 0, 0}, uint32(0), []byte{1, 0, 0, 0, 0, 0, 0, 0}, []byte{9},
		[]byte{1, 0, 0, 0, 2, 0, 0, 0})
	f.Add([]byte{1}, uint32(1<<31), []byte{255}, []byte{}, []byte{1, 2})
	f.Fuzz(func(t *testing.T, ids []byte, size uint32, sizes, payloads, tokens []byte) {
		a, err := wire.ParseAnswers(&pluginpb.Answers{Ids: ids, PayloadSize: size, PayloadSizes: sizes, Payloads: payloads,
			TokenCounts: tokens})
		if err != nil {
			return
		}
		var joined []byte
		var back []byte
		rs := make([]loadgen.QuerySampleResponse, 3)
		for n := a.Next(rs); n > 0; n = a.Next(rs) {
			for _, r := range rs[:n] {
				joined = append(joined, r.Data...)
				back = binary.LittleEndian.AppendUint32(back, uint32(r.ID))
			}
		}
		if !bytes.Equal(joined, payloads) || !bytes.Equal(back, ids) {
			t.Errorf("ids % x, payloads % x; want % x, % x", back, joined, ids, payloads)
		}
	})
}

func FuzzSamples(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0, 4, 3, 2, 1})
	f.Add([]byte{1, 2, 3})
	f.Fuzz(func(t *testing.T, b []byte) {
		samples, err := wire.Samples(b)
		if (err != nil) != (len(b)%8 != 0) {
			t.Fatalf("%d bytes: error %v", len(b), err)
		}
		if err == nil && !bytes.Equal(wire.SampleBytes(samples), b) {
			t.Error("the samples give other bytes")
		}
	})
}
