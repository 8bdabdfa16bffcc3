package retrieval

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

func TestGoldenJudge(t *testing.T) {
	type verdict struct {
		Name, Reply string
		Body        any
		Counts      int `json:"counts_as"`
		Error       *string
	}
	golden.Each(t, "rag/judge.jsonl", func(t *testing.T, path string) {
		for _, c := range golden.ReadLines[verdict](t, path) {
			if c.Body != nil { // not a judge's answer: tested in package rag
				continue
			}
			v := ReadVerdict(c.Reply)
			if v.Counts != (c.Counts == 1) || v.Strict && !v.Counts || c.Error != nil && v.Err == nil {
				t.Errorf("%s: %+v, want %d", c.Name, v, c.Counts)
			}
		}
	})
}

func TestGoldenMetrics(t *testing.T) {
	type pair struct {
		Name                string
		Expected, Retrieved []string
		Loop, Scorer        map[string]float64
	}
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-15 }
	golden.Each(t, "rag/metrics.jsonl", func(t *testing.T, path string) {
		for _, c := range golden.ReadLines[pair](t, path) {
			if got := RankedFigures(c.Expected, c.Retrieved); !maps.EqualFunc(got, c.Loop, near) {
				t.Errorf("%s: %v, want %v", c.Name, got, c.Loop)
			}
			f := MatchPages(c.Retrieved, c.Expected)
			got := map[string]float64{"precision": f.Precision, "recall": f.Recall, "f1": f.F1}
			if !maps.EqualFunc(got, c.Scorer, near) {
				t.Errorf("%s: %v, want %v", c.Name, got, c.Scorer)
			}
		}
	})
}

// logEntries reads an accuracy log in any form that the official script accepts.
func logEntries(text string) (p PageLog) {
	type entry struct {
		Page *uint64 `json:"qsl_idx"`
		Data json.RawMessage
	}
	var all []entry
	if json.Unmarshal([]byte(text), &all) != nil {
		for line := range strings.Lines(text) {
			var e entry
			if json.Unmarshal([]byte(strings.TrimRight(line, ",\n")), &e) == nil {
				all = append(all, e)
			}
		}
	}
	for _, e := range all {
		var digits string
		var levels []int
		payload := []byte{}
		if json.Unmarshal(e.Data, &digits) == nil {
			var err error
			if payload, err = hex.DecodeString(digits); err != nil {
				continue
			}
		} else if json.Unmarshal(e.Data, &levels) == nil {
			for _, v := range levels {
				payload = append(payload, byte(v))
			}
		} else {
			continue
		}
		if e.Page != nil {
			p.Add(*e.Page, payload)
		}
	}
	return p
}

func TestGoldenDatabaseLog(t *testing.T) {
	type result struct {
		Passed     bool
		Error      string
		Total      int    `json:"total_files"`
		Successful int    `json:"successful_files"`
		Success    int    `json:"success_count"`
		Failure    int    `json:"failure_count"`
		Returned   string `json:"md5_response"`
		Actual     string `json:"md5_actual"`
	}
	type built struct {
		Name, Log string
		Result    result
		Text      []string `json:"accuracy_txt"`
	}
	golden.Each(t, "rag/db_log.jsonl", func(t *testing.T, path string) {
		for _, c := range golden.ReadLines[built](t, path) {
			pages := logEntries(c.Log)
			b, want := pages.ReadBuild(), c.Result
			if want.Error != "" {
				want.Total, want.Successful = want.Success+want.Failure, want.Success
			}
			if b.Pages != want.Total || b.Good != want.Successful || b.MD5 != want.Returned ||
				b.Passed(want.Actual) != want.Passed {
				t.Errorf("%s: %+v, want %+v", c.Name, b, want)
			}
			text := strings.Join(c.Text, "\n")
			if got := strings.TrimRight(b.Report(want.Actual), "\n"); c.Text != nil && got != strings.TrimRight(text, "\n") {
				t.Errorf("%s:\n%s\nwant\n%s", c.Name, got, text)
			}
		}
	})
}

// place is the source of a passage: a URL or metadata.
type place string

func (p *place) UnmarshalJSON(text []byte) error {
	var data struct {
		URL    string `json:"original_url"`
		Source string
	}
	if json.Unmarshal(text, (*string)(p)) == nil {
		return nil
	}
	err := json.Unmarshal(text, &data)
	*p = place(cmp.Or(data.URL, data.Source))
	return err
}

func TestGoldenManifest(t *testing.T) {
	type candidate struct {
		Passages []string
		Top      map[string][]place
		Dim      int
		Index    json.RawMessage
	}
	type checked struct {
		Name      string
		Manifest  json.RawMessage
		Candidate candidate
		Passed    bool
		Metrics   struct {
			Overlap *float64 `json:"retrieval_accuracy"`
			First   float64  `json:"retrieval_top1_rate"`
			Full    int      `json:"probe_queries_full_match"`
			Asked   int      `json:"probe_queries_total"`
		}
		Sum string `json:"candidate_sha256"`
	}
	golden.Each(t, "rag/manifest.jsonl", func(t *testing.T, path string) {
		for _, c := range golden.ReadLines[checked](t, path) {
			if got := CorpusSum(c.Candidate.Passages); got != c.Sum {
				t.Errorf("%s: %s, want %s", c.Name, got, c.Sum)
			}
			m, err := ParseManifest(c.Manifest)
			if err != nil {
				if c.Passed || c.Metrics.Overlap != nil {
					t.Errorf("%s: %v", c.Name, err)
				}
				continue
			}
			local := Manifest{Passages: len(c.Candidate.Passages), Dim: c.Candidate.Dim, Index: IndexParams{
				"IndexHNSWFlat", c.Candidate.Dim, 1, 200, 100, 32,
			}}
			if err := json.Unmarshal(c.Candidate.Index, &local.Index); err != nil {
				t.Fatal(err)
			}
			var found []ProbeURLs
			for _, q := range m.Queries {
				urls := make([]string, len(c.Candidate.Top[q.Prompt]))
				for i, p := range c.Candidate.Top[q.Prompt] {
					urls[i] = string(p)
				}
				found = append(found, ProbeURLs{q.Index, urls})
			}
			got, want := m.Compare(local, found), c.Metrics
			if (len(got.Faults) == 0) != c.Passed || math.Abs(got.Overlap-*want.Overlap) > 1e-12 ||
				math.Abs(got.First-want.First) > 1e-12 || got.Full != want.Full || got.Compared != want.Asked {
				t.Errorf("%s: %+v, want %v, %v", c.Name, got, c.Passed, want)
			}
		}
	})
}

func TestGoldenManifestParts(t *testing.T) {
	golden.Each(t, "rag/manifest_parts.json", func(t *testing.T, path string) {
		var parts struct {
			URLs [][2]string      `json:"norm_url"`
			Rows map[string][]int `json:"probe_rows"`
		}
		golden.ReadJSON(t, path, &parts)
		for _, u := range parts.URLs {
			if got := NormalURL(u[0]); got != u[1] {
				t.Errorf("%s: %q, want %q", u[0], got, u[1])
			}
		}
		for text, want := range parts.Rows {
			var n int
			if err := json.Unmarshal([]byte(text), &n); err != nil {
				t.Fatal(err)
			}
			if got := ProbeRows(n); !slices.Equal(got, want) {
				t.Errorf("of %d: %v, want %v", n, got, want)
			}
		}
		if len(parts.URLs) == 0 || len(parts.Rows) == 0 {
			t.Error("no cases")
		}
	})
}

func TestObject(t *testing.T) {
	for reply, want := range map[string]error{
		"": ErrNoObject, "}{": ErrNoObject, "```json\n```{}": ErrNoObject, "{}": nil,
	} {
		if _, err := FindObject(reply); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", reply, err, want)
		}
	}
}

func FuzzReadVerdict(f *testing.F) {
	f.Add("```json\n{\"correct\": true}\n```")
	f.Fuzz(func(t *testing.T, reply string) {
		if v := ReadVerdict(reply); v.Strict && !v.Counts || v.Err != nil && v.Counts {
			t.Fatalf("%+v", v)
		}
	})
}

func FuzzParseManifest(f *testing.F) {
	f.Add([]byte(`{"version": 2, "probe_top_k": 3, "reference_top_k": [{"index": 1, "top_k_urls": ["a"]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if m, err := ParseManifest(text); err == nil {
			m.Compare(m, m.Found)
		}
	})
}
