package queries

import (
	"io"
	"iter"

	"github.com/parquet-go/parquet-go"

	"github.com/plumbline-ml/plumbline/internal/record/requests"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// parquetRow is a requests.Row with the names and types of the Parquet columns. Token events are lists of equal length.
type parquetRow struct {
	Index   int32  `parquet:"index,delta"`
	Row     int32  `parquet:"row"`
	User    int32  `parquet:"user"`
	Turn    int32  `parquet:"turn"`
	Session string `parquet:"session,dict"`
	Server  int32  `parquet:"server"`

	Due    int64  `parquet:"due_ns,delta"`
	Sent   int64  `parquet:"sent_ns,delta"`
	First  *int64 `parquet:"first_ns,optional"`
	End    int64  `parquet:"end_ns,delta"`
	Status string `parquet:"status,dict"`
	Fault  string `parquet:"fault,dict"`
	Finish string `parquet:"finish_reason,dict"`
	WarmUp bool   `parquet:"warm_up"`
	Whole  bool   `parquet:"not_streamed"`

	Prompt      *int64 `parquet:"prompt_tokens,optional"`
	Completion  *int64 `parquet:"completion_tokens,optional"`
	Reasoning   *int64 `parquet:"reasoning_tokens,optional"`
	Cached      *int64 `parquet:"cached_tokens,optional"`
	Retokenized *int64 `parquet:"retokenized,optional"`
	AskedIn     *int64 `parquet:"asked_in,optional"`
	AskedOut    *int64 `parquet:"asked_out,optional"`
	Read        int64  `parquet:"read_ns"`

	Out  *int64 `parquet:"out,optional"`
	TTFT *int64 `parquet:"ttft_ns,optional"`
	TPOT *int64 `parquet:"tpot_ns,optional"`
	E2E  *int64 `parquet:"e2e_ns,optional"`

	Tokens []int64 `parquet:"token_ns,list"`  // arrival time of each token event
	IDs    []int32 `parquet:"token_ids,list"` // number of token ids of each event
	Kinds  string  `parquet:"kinds,dict"`     // a letter for each event, as in JSON

	Run string `parquet:"run,dict"`
}

// requestGroup is the number of requests that are collected in memory before they are written. It is smaller because a
// request contains a number for each of its tokens.
const requestGroup = 10_000

// WriteRequests writes requests.parquet: a row for each request to a measured server, in their order. If a request's
// Found (empty or count) differs from its status, the column status contains Found.
func WriteRequests(to io.Writer, all []metrics.Request, rules metrics.FigureRules, run string) error {
	w := parquet.NewGenericWriter[parquetRow](to, parquet.Compression(&parquet.Snappy),
		parquet.MaxRowsPerRowGroup(requestGroup))
	one := make([]parquetRow, 1)
	for i := range all {
		one[0] = newParquetRow(&all[i], rules, run)
		if _, err := w.Write(one); err != nil {
			return err
		}
	}
	return w.Close()
}

func newParquetRow(r *metrics.Request, rules metrics.FigureRules, run string) parquetRow {
	of := requests.RowOf(r, rules)
	row := parquetRow{
		Index: int32(of.Index), Row: int32(of.Row), User: int32(of.User), Turn: int32(of.Turn), Session: of.Session,
		Server: int32(of.Server), Due: of.Due, Sent: of.Sent, First: of.First, End: of.End, Status: string(of.Status),
		Fault: of.Fault, Finish: of.Finish, WarmUp: of.WarmUp, Whole: of.Whole, Prompt: of.Prompt, Completion: of.Completion,
		Reasoning: of.Reasoning, Cached: of.Cached, Retokenized: of.Retokenized, AskedIn: of.AskedIn, AskedOut: of.AskedOut,
		Read: of.Read, Out: of.Out, TTFT: of.TTFT, TPOT: of.TPOT, E2E: of.E2E, Kinds: of.Kinds, Run: run,
	}
	if of.Found != "" {
		row.Status = string(of.Found)
	}
	for e := range r.Events.All() {
		row.Tokens, row.IDs = append(row.Tokens, e.At), append(row.IDs, int32(e.IDs))
	}
	return row
}

// WriteGaps writes gaps.hdr: the gaps between neighbouring token events of all answers, in the format of HdrHistogram's
// tools for percentiles.
func WriteGaps(to io.Writer, all []metrics.Request, rules metrics.FigureRules, run string) error {
	return printHDR(to, gaps(all, rules), run)
}

// gaps returns the gaps of all answered requests that count.
func gaps(all []metrics.Request, rules metrics.FigureRules) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for i := range all {
			r := &all[i]
			if r.WarmUp || rules.Window != nil && !rules.Window.Has(r.Due) {
				continue
			}
			m := metrics.MeasureRequest(r, rules)
			if m.TokenGaps() == 0 {
				continue
			}
			last := m.First
			first := true
			for e := range r.Events.All() {
				if !first && !yield(max(0, e.At-last)) {
					return
				}
				last, first = e.At, false
			}
		}
	}
}
