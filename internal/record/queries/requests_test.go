package queries

import (
	"bytes"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// asked returns a warm-up request, an answer of four tokens with gaps of 1, 2 and 3 ms, a refusal, and an empty answer.
func asked() []metrics.Request {
	var all []metrics.Request
	for i, status := range []metrics.Status{metrics.OK, metrics.OK, metrics.Refused, metrics.OK} {
		r := metrics.Request{Index: i, Status: status, Due: int64(i) * 1e9, Sent: int64(i)*1e9 + 5, End: int64(i)*1e9 + 9e7,
			WarmUp: i == 0, Usage: metrics.NoUsage(), Retokenized: metrics.Unknown, AskedIn: metrics.Unknown, AskedOut: 4}
		if at := r.Due + 50e6; i < 2 {
			for k := range int64(4) {
				at += k * 1e6
				r.Events.Add(metrics.StreamEvent{At: at, Kind: metrics.Content, Text: true, IDs: 1})
			}
		}
		all = append(all, r)
	}
	return all
}

func TestRequestsAsParquet(t *testing.T) {
	var b bytes.Buffer
	if err := WriteRequests(&b, asked(), metrics.FigureRules{}, runName); err != nil {
		t.Fatal(err)
	}
	rows, err := parquet.Read[parquetRow](bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil || len(rows) != 4 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	r := rows[1]
	if r.Index != 1 || r.Status != "ok" || r.Due != 1e9 || *r.First != 1e9+50e6 || *r.TTFT != 50e6 || *r.TPOT != 2e6 ||
		*r.Out != 4 || *r.AskedOut != 4 || r.Prompt != nil || len(r.Tokens) != 4 || r.Tokens[3] != 1e9+56e6 ||
		len(r.IDs) != 4 || r.Kinds != "c" || r.Run != runName {
		t.Errorf("%+v", r)
	}
	if r := rows[2]; r.Status != "refused" || r.First != nil || r.TTFT != nil || len(r.Tokens) > 0 || !rows[0].WarmUp {
		t.Errorf("%+v", r)
	}
	if r := rows[3]; r.Status != "empty" {
		t.Errorf("an answer of nothing is %s", r.Status)
	}
}

// TestGaps checks that gaps of warm-up requests are excluded.
func TestGaps(t *testing.T) {
	var b bytes.Buffer
	if err := WriteGaps(&b, asked(), metrics.FigureRules{}, runName); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{"Total count    =            3]", "#[Run = " + runName + "]", "Percentile"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing:\n%s", want, text)
		}
	}
	if last := text[:strings.Index(text, "#[Mean")]; !strings.Contains(last, "3.00") {
		t.Errorf("the largest gap is missing:\n%s", text)
	}
	b.Reset()
	if err := WriteGaps(&b, nil, metrics.FigureRules{}, ""); err != nil {
		t.Errorf("no gaps: %v", err)
	}
}
