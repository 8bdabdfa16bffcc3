package retrieval

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/mt19937"
)

// Manifest describes a required database of passages: the number of passages, the parameters of the index, and the
// pages retrieved for some questions. Its JSON is the reference's db_manifest.
type Manifest struct {
	Version        any          `json:"version"` // 2, or "v2-behavioral"
	RetrieverModel string       `json:"retriever_model"`
	EmbeddingModel string       `json:"embedding_model"` // the same
	Passages       int          `json:"total_passages"`
	Dim            int          `json:"embedding_dim"`
	Index          IndexParams  `json:"index_params"`
	Corpus         string       `json:"corpus_set_sha256"` // CorpusSum; reported alone
	Depth          int          `json:"probe_top_k"`
	Queries        []ProbeQuery `json:"reference_queries"`
	Found          []ProbeURLs  `json:"reference_top_k"`
}

// IndexParams contains the parameters of an index.
type IndexParams struct {
	Class          string `json:"class"` // "IndexHNSWFlat"
	Dim            int    `json:"dim"`
	Metric         int    `json:"metric_type"` // 1 means squared Euclidean distance
	EFConstruction int    `json:"efConstruction"`
	EFSearch       int    `json:"efSearch"`
	M              int    `json:"M"`
}

// ProbeQuery is a question of a manifest.
type ProbeQuery struct {
	Index  int    `json:"index"` // the question's row in the table
	Prompt string `json:"prompt"`
}

// ProbeURLs contains the pages of the passages retrieved for a question, nearest first.
type ProbeURLs struct {
	Index int      `json:"index"`
	URLs  []string `json:"top_k_urls"`
}

// MinOverlap is the minimum share of the reference's pages that a database must retrieve, averaged over the questions.
const MinOverlap = 0.95

// The number of questions and of pages per question in a new manifest, and the seed that selects the questions.
const (
	ProbeCount = 50
	ProbeDepth = 10
	probeSeed  = 0xC0FFEE
)

// ParseManifest parses the JSON of a manifest.
func ParseManifest(text []byte) (m Manifest, err error) {
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("manifest of a database: %w", err)
	}
	if v := m.Version; v != 2.0 && v != "v2-behavioral" {
		return m, fmt.Errorf("manifest of a database: version %v, want 2 or \"v2-behavioral\": write it again", v)
	}
	return m, nil
}

// ManifestComparison is the result of comparing a database with a manifest.
type ManifestComparison struct {
	Faults   []string // reasons why the database does not pass; empty if it passes
	Overlap  float64  // the mean share of the reference's pages that the database retrieves
	First    float64  // the share of questions whose first page equals the reference's
	Full     int      // questions for which the database retrieves all pages of the reference
	Compared int      // questions that were compared
}

// Compare compares a database with the manifest. All fields of local except Queries must be set. found contains the
// pages that the database retrieves for the manifest's questions. Compare ignores questions for which the manifest has
// no pages.
func (m Manifest) Compare(local Manifest, found []ProbeURLs) (c ManifestComparison) {
	differ := func(what string, got, want any) {
		if got != want {
			c.Faults = append(c.Faults, fmt.Sprintf("%s: %v, the manifest has %v", what, got, want))
		}
	}
	differ("passages", local.Passages, m.Passages)
	differ("dimensions of embeddings", local.Dim, m.Dim)
	differ("index", local.Index, m.Index)
	want := map[int][]string{}
	for _, f := range m.Found {
		want[f.Index] = f.URLs
	}
	first, sum := 0, 0.0
	for _, f := range found {
		theirs, asked := want[f.Index]
		if !asked {
			continue
		}
		ours := normalizeURLs(f.URLs, m.Depth)
		theirs = normalizeURLs(theirs, m.Depth)
		c.Compared++
		reference := setOf(theirs)
		overlap := float64(countCommon(reference, setOf(ours))) / float64(max(len(reference), 1))
		if sum += overlap; overlap >= 1 {
			c.Full++
		}
		if len(theirs) > 0 && len(ours) > 0 && theirs[0] == ours[0] {
			first++
		}
	}
	if c.Compared > 0 {
		c.Overlap, c.First = sum/float64(c.Compared), float64(first)/float64(c.Compared)
	}
	if c.Overlap < MinOverlap {
		c.Faults = append(c.Faults, fmt.Sprintf("the pages of %d questions overlap by %.4f, want %v or more", c.Compared,
			c.Overlap, MinOverlap))
	}
	return c
}

func normalizeURLs(urls []string, depth int) []string {
	var all []string
	for _, u := range urls[:min(len(urls), max(depth, 0))] {
		all = append(all, NormalURL(u))
	}
	return all
}

// NormalURL returns the form of a page's URL or file name in which databases are compared.
func NormalURL(u string) string {
	u = strings.ToLower(u)
	u = strings.TrimPrefix(strings.TrimPrefix(u, "https://"), "http://")
	u = strings.TrimSuffix(u, ".html")
	u = strings.ReplaceAll(strings.ReplaceAll(u, "en.wikipedia.org/wiki/", ""), "en.wikipedia.org_wiki_", "")
	u, _, _ = strings.Cut(u, "#")
	return strings.Trim(strings.ReplaceAll(u, "/", "_"), "_")
}

// CorpusSum returns the SHA-256 of the sorted SHA-256 sums of the passages. It does not depend on their order.
func CorpusSum(passages []string) string {
	sums := make([]string, len(passages))
	for i, p := range passages {
		sum := sha256.Sum256([]byte(p))
		sums[i] = hex.EncodeToString(sum[:])
	}
	slices.Sort(sums)
	all := sha256.New()
	for _, s := range sums {
		all.Write(append([]byte(s), 0))
	}
	return hex.EncodeToString(all.Sum(nil))
}

// ProbeRows returns the rows of the questions in a manifest for a table with the given number of rows, ascending. It
// samples them like Python's random.Random(0xC0FFEE).sample.
func ProbeRows(rows int) []int {
	g := mt19937.NewPython(probeSeed)
	return slices.Sorted(slices.Values(g.Sample(rows, min(ProbeCount, rows))))
}
