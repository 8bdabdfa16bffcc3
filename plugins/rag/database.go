package rag

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/plumbline-ml/plumbline/accuracy/retrieval"
	"github.com/plumbline-ml/plumbline/datasets/frames"
	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/plugins/rag/internal/index"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/scoring"
)

// databaseScorer checks that a database is complete, and compares it with a manifest.
type databaseScorer struct {
	ctx context.Context
	ragSettings
	pages        retrieval.PageLog
	wantManifest *retrieval.Manifest
	probes       []retrieval.ProbeQuery // queries of the manifest to write; nil: write none
	embed        func(ctx context.Context, texts []string) ([][]float32, error)
	model        string
}

func openDatabaseScorer(ctx context.Context, r *manifest.Request) (sdk.Scorer, error) {
	s := &databaseScorer{ctx: context.WithoutCancel(ctx), ragSettings: readSettings(r)}
	log := scoring.Log{Samples: readPages(r).Len()}
	s.readManifest(r)
	if (s.wantManifest != nil || s.probes != nil) && s.Database == "" {
		r.Params.AddFault("database", errors.New("want the file that the run wrote: a manifest is of a database"))
	}
	scorer := scoring.New(s, log, s.scoreBuild)
	if err := r.Err(); err != nil || s.wantManifest == nil && s.probes == nil {
		return scorer, err
	}
	if r.OpenPart == nil {
		return nil, errors.New("a manifest wants the embedder, which a plugin alone can open")
	}
	m := r.Files[embedderPart]
	s.model = m.Name
	session, err := r.OpenPart(ctx, sdk.Part{Name: embedderPart, Model: completeEncoder(m), MaxBatch: textsPerRun})
	if err != nil {
		return nil, err
	}
	s.embed = (&textEncoder{session: session, tokens: s.embedderRows}).embedTexts
	return scorer, nil
}

// maxManifestBytes limits the size of an uncompressed manifest.
const maxManifestBytes = 1 << 30

// readManifest reads the expected manifest of the database, and the queries for a manifest to write.
func (s *databaseScorer) readManifest(r *manifest.Request) {
	if path := s.Manifest; path != "" {
		text, err := readMaybeGzip(path)
		var m retrieval.Manifest
		if err == nil {
			m, err = retrieval.ParseManifest(text)
		}
		if err != nil {
			r.AddFault(sdk.Data(fmt.Errorf("parameter manifest: %w", err)))
		}
		s.wantManifest = &m
	}
	if s.Questions == "" {
		return
	}
	questions, err := frames.OpenQuestions(s.Questions)
	if err != nil {
		r.AddFault(sdk.Data(fmt.Errorf("parameter questions: %w", err)))
		return
	}
	for _, row := range retrieval.ProbeRows(len(questions)) {
		s.probes = append(s.probes, retrieval.ProbeQuery{Index: row, Prompt: questions[row].Prompt})
	}
}

// readMaybeGzip reads a file that may be compressed by gzip.
func readMaybeGzip(path string) ([]byte, error) {
	text, err := bounded.ReadFile(path, maxManifestBytes)
	if err != nil || !bytes.HasPrefix(text, []byte("\x1f\x8b")) {
		return text, err
	}
	z, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	text, err = io.ReadAll(io.LimitReader(z, maxManifestBytes))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return text, nil
}

// Add stores the answer about a page. If there are several, the last one counts, as in the official script.
func (s *databaseScorer) Add(page uint64, answer []byte) error {
	s.pages.Add(page, answer)
	return nil
}

func (s *databaseScorer) Result() (retrieval.DatabaseBuild, error) { return s.pages.ReadBuild(), nil }

// successMetric is the share of pages in the database. The submission checker reads it as Accuracy.
const successMetric = "pages"

// scoreBuild compares the database file with the run's answers and with the manifest.
func (s *databaseScorer) scoreBuild(b retrieval.DatabaseBuild, c scoring.Counts) (sdk.Score, error) {
	var n sdk.Notes
	rate := 100 * b.Rate()
	score := sdk.Score{Metrics: []sdk.Metric{{Name: successMetric, Unit: "%", Value: rate}}}
	actual, err := s.compareSums(b, &n)
	if err != nil {
		return score, err
	}
	if err := s.compareManifest(&score, &n); err != nil {
		return score, err
	}
	score.OfficialText = b.Report(actual) + fmt.Sprintf("Accuracy: %.4f\n", rate)
	n.Add("the last line of accuracy.txt is what the submission checker reads; the official script's text has none, and " +
		"passes in no run")
	n.AddCount(c.Repeated(), "%d entries are of pages that have a later one, which counts")
	n.AddMissing(c.Missing(), c.All, "pages", "the share is that")
	score.Notes = n
	return score, nil
}

// compareSums notes whether the database is the one that the run built. It returns the MD5 of the file, or "" if the
// file is missing.
func (s *databaseScorer) compareSums(b retrieval.DatabaseBuild, n *sdk.Notes) (string, error) {
	if b.MD5 == "" {
		n.Add("no answer has the MD5 of the database: the run did not see its last page")
	}
	if s.Index != "" {
		n.Add("the MD5 is not compared: it is that of what was written into the store, which is no file")
		return "", nil
	}
	if s.Database == "" {
		n.Add("the MD5 is not compared: no database was kept (--param database=FILE)")
		return "", nil
	}
	actual, err := index.FileMD5(s.Database)
	switch {
	case errors.Is(err, os.ErrNotExist):
		n.Add("the database %s is not there", s.Database)
		return "", nil
	case err != nil:
		return "", sdk.Data(err)
	case actual != b.MD5:
		n.Add("the database %s is not the one that the run made: MD5 %s, want %s", s.Database, actual, b.MD5)
	}
	return actual, nil
}

// compareManifest compares the database with the manifest, and writes the database's manifest if requested.
func (s *databaseScorer) compareManifest(score *sdk.Score, n *sdk.Notes) error {
	if s.wantManifest == nil && s.probes == nil {
		return nil
	}
	db, err := index.Open(s.Database)
	if err != nil {
		return sdk.Data(err)
	}
	local := s.describeDatabase(db)
	if s.wantManifest != nil {
		found, err := s.findPages(db, s.wantManifest.Queries, s.wantManifest.Depth)
		if err != nil {
			return err
		}
		c := s.wantManifest.Compare(local, found)
		score.Metrics = append(score.Metrics, sdk.Metric{Name: "manifest_overlap", Value: c.Overlap})
		n.Add("manifest: %d questions, overlap %.4f, the first page is the same of %.3f, all pages of %d", c.Compared,
			c.Overlap, c.First, c.Full)
		for _, f := range c.Faults {
			n.Add("manifest: %s", f)
		}
		if local.Corpus != s.wantManifest.Corpus {
			n.Add("manifest: the passages are not the same, which is reported alone: sha256 %.12s, the manifest has %.12s",
				local.Corpus, s.wantManifest.Corpus)
		}
	}
	if s.probes == nil {
		return nil
	}
	local.Queries = s.probes
	if local.Found, err = s.findPages(db, s.probes, retrieval.ProbeDepth); err != nil {
		return err
	}
	text, err := json.MarshalIndent(local, "", "  ")
	score.Files = append(score.Files, sdk.ScoreFile{Name: "rag/db_manifest.json", Data: append(text, '\n')})
	return err
}

// describeDatabase returns the manifest of a database without queries.
func (s *databaseScorer) describeDatabase(db *index.Database) retrieval.Manifest {
	texts := make([]string, len(db.Passages))
	for i, p := range db.Passages {
		texts[i] = p.Text
	}
	return retrieval.Manifest{
		Version: 2, RetrieverModel: s.model, EmbeddingModel: s.model, Passages: db.Len(), Dim: db.Dim(),
		Index: retrieval.IndexParams{Class: "IndexHNSWFlat", Dim: db.Dim(), Metric: 1, EFConstruction: db.EFConstruction,
			EFSearch: db.EFSearch, M: db.M},
		Corpus: retrieval.CorpusSum(texts),
		Depth:  retrieval.ProbeDepth,
	}
}

// findPages searches the pages for the queries.
func (s *databaseScorer) findPages(db *index.Database, probes []retrieval.ProbeQuery, depth int) ([]retrieval.ProbeURLs,
	error) {
	var all []retrieval.ProbeURLs
	for _, q := range probes {
		v, err := s.embed(s.ctx, []string{q.Prompt})
		if err != nil {
			return nil, err
		}
		if len(v[0]) != db.Dim() {
			return nil, sdk.Data(fmt.Errorf("the database has vectors of %d values, the embedder makes %d", db.Dim(), len(v[0])))
		}
		found := retrieval.ProbeURLs{Index: q.Index, URLs: []string{}}
		for _, h := range db.Search(v[0], depth) {
			url := db.Passages[h.ID].URL
			if url == "" {
				url = db.Passages[h.ID].Source
			}
			found.URLs = append(found.URLs, url)
		}
		all = append(all, found)
	}
	return all, nil
}
