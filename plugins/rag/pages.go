package rag

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/plumbline-ml/plumbline/datasets/frames"
	"github.com/plumbline-ml/plumbline/internal/synthetic/encyclopedia"
	"github.com/plumbline-ml/plumbline/plugins/rag/internal/index"
	"github.com/plumbline-ml/plumbline/plugins/rag/internal/passages"
	"github.com/plumbline-ml/plumbline/plugins/rag/internal/pgvector"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// pageSet contains the pages of a folder, or generated ones.
type pageSet interface {
	Len() int
	Page(i int) (frames.WebPage, error)
}

// generated contains the generated pages.
type generatedPages []encyclopedia.Page

func newGeneratedPages() generatedPages { return encyclopedia.Eval().Pages() }

func (p generatedPages) Len() int { return len(p) }

func (p generatedPages) Page(i int) (frames.WebPage, error) {
	return frames.WebPage{Name: p[i].Name, URL: p[i].URL, HTML: p[i].HTML}, nil
}

// builtPage is a page with its passages and vectors.
type builtPage struct {
	frames.WebPage
	passages []string
	vectors  [][]float32
	failed   error // reason why the page has no vectors
}

// databaseBuilder builds a database from pages that arrive in any order. It is safe for concurrent use.
type databaseBuilder struct {
	pages       pageSet
	path        string                // path of the database file; empty: not saved
	tableWriter *pgvector.TableWriter // replaces db; nil: not used
	db          *index.Database

	mu       sync.Mutex
	waiting  map[int]builtPage // pages that arrived before their turn
	nextPage int               // index of the next page to add
	pending  int               // number of pages that have not arrived
	received []bool
	notes    [2][]string // pages without text, and pages that failed
	counts   [2]int
}

func newDatabaseBuilder(p pageSet, path string) *databaseBuilder {
	return &databaseBuilder{pages: p, path: path, waiting: map[int]builtPage{}, pending: p.Len(), received: make([]bool,
		p.Len())}
}

// makePage reads page i and makes its passages and vectors. An error ends the run. An error that concerns only this
// page is in the result instead.
func (b *databaseBuilder) makePage(ctx context.Context, e *textEncoder, i int) (builtPage, error) {
	read, err := b.pages.Page(i)
	p := builtPage{WebPage: read}
	cut, err2 := passages.SplitPage(read.Name, read.HTML)
	p.passages = cut
	if err := errors.Join(err, err2); err != nil {
		b.addNote(0, fmt.Sprintf("%s: %v", read.Name, err))
	}
	p.vectors, err = e.embedTexts(ctx, p.passages)
	switch {
	case ctx.Err() != nil:
		return p, context.Cause(ctx)
	case errors.Is(err, errOutput):
		p.failed = err
	case err != nil:
		return p, fmt.Errorf("page %s: %w", read.Name, err)
	}
	return p, nil
}

func (b *databaseBuilder) addNote(kind int, text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.counts[kind]++; len(b.notes[kind]) < maxFaults {
		b.notes[kind] = append(b.notes[kind], text)
	}
}

// finishPage adds page i and all waiting pages that follow it. After the last page, it saves the database and returns
// the MD5 of its file. Pages that arrive again are ignored. Failed pages count as arrived.
func (b *databaseBuilder) finishPage(ctx context.Context, i int, p builtPage) (md5 string, err error) {
	if p.failed != nil {
		b.addNote(1, fmt.Sprintf("%s: %v", p.Name, p.failed))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.received[i] {
		return "", nil
	}
	b.received[i] = true
	b.pending--
	b.waiting[i] = p
	for ; b.nextPage < len(b.received) && b.received[b.nextPage]; b.nextPage++ {
		if err := b.addPassages(ctx, b.waiting[b.nextPage]); err != nil {
			return "", err
		}
		delete(b.waiting, b.nextPage)
	}
	if b.pending > 0 {
		return "", nil
	}
	return b.saveDatabase(ctx)
}

// addPassages adds the passages of a page.
func (b *databaseBuilder) addPassages(ctx context.Context, p builtPage) error {
	for k, v := range p.vectors {
		passage := index.Passage{Text: p.passages[k], Source: p.Name, ID: k, URL: p.URL}
		if b.tableWriter != nil {
			if err := b.tableWriter.Add(ctx, passage, v); err != nil {
				return fmt.Errorf("page %s, passage %d: %w", p.Name, k, err)
			}
			continue
		}
		if b.db == nil {
			b.db = &index.Database{Graph: index.New(len(v), index.OfficialParams())}
		}
		if err := b.db.Add(v); err != nil {
			return fmt.Errorf("page %s, passage %d: %w", p.Name, k, err)
		}
		b.db.Passages = append(b.db.Passages, passage)
	}
	return nil
}

// saveDatabase links the remaining vectors and writes the file.
func (b *databaseBuilder) saveDatabase(ctx context.Context) (md5 string, err error) {
	if b.db == nil && (b.tableWriter == nil || b.tableWriter.Len() == 0) {
		return "", errors.New("no page became a passage: the database would be empty")
	}
	if b.tableWriter != nil {
		return b.tableWriter.FinishTable(ctx)
	}
	b.db.LinkLast()
	if b.path == "" {
		return b.db.MD5()
	}
	f, err := os.CreateTemp(filepath.Dir(b.path), "."+filepath.Base(b.path)+"-*")
	if err != nil {
		return "", fmt.Errorf("parameter database: %w", err)
	}
	err = errors.Join(b.db.Write(f), f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), b.path)
	}
	if err != nil {
		return "", errors.Join(fmt.Errorf("write the database: %w", err), os.Remove(f.Name()))
	}
	return index.FileMD5(b.path)
}

// databaseWorkload builds a database. It is the workload of e2e-rag-db.
type databaseWorkload struct {
	*databaseBuilder
	ragSettings
	file       backend.Model
	generated  bool
	readOnLoad bool // read pages when they are loaded, to verify the data set
}

var (
	_ sdk.RunnerOf[int]     = (*databaseWorkload)(nil)
	_ sdk.WorkloadInfoAdder = (*databaseWorkload)(nil)
	_ sdk.Noter             = (*databaseWorkload)(nil)
	_ sdk.ClientWorker      = (*databaseWorkload)(nil)
)

// openPages opens the pages.
func openPages(ctx context.Context, r *manifest.Request) (sdk.Workload, error) {
	s := readSettings(r)
	m := &databaseWorkload{ragSettings: s, file: r.Files[embedderPart], generated: r.Dataset == "",
		readOnLoad: r.Verifying}
	all := readPages(r)
	if s.Database != "" {
		if info, err := os.Stat(filepath.Dir(s.Database)); err != nil || !info.IsDir() {
			r.Params.AddFault("database", fmt.Errorf("the folder of %s is not there", s.Database))
		}
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	m.databaseBuilder = newDatabaseBuilder(all, s.Database)
	store, err := s.openStore(ctx)
	if err != nil {
		return nil, err
	}
	if store != nil {
		m.tableWriter = store.NewWriter()
	}
	return sdk.Runs(m), nil
}

// firstPages contains the first n pages of a set.
type firstPages struct {
	pageSet
	n int
}

func (s firstPages) Len() int { return s.n }

func readPages(r *manifest.Request) pageSet {
	var all pageSet = newGeneratedPages()
	if r.Dataset != "" {
		set, err := frames.OpenPages(r.Dataset)
		if err != nil {
			r.AddFault(sdk.Data(err))
			return all
		}
		all = set
	}
	return firstPages{all, r.SampleCount(all.Len(), "pages")}
}

func (m *databaseWorkload) Len() int { return m.pages.Len() }

// Parts returns the embedder.
func (m *databaseWorkload) Parts() []sdk.Part {
	return []sdk.Part{{Name: embedderPart, Model: completeEncoder(m.file), MaxBatch: textsPerRun}}
}

// Load does nothing in a run, because reading pages is part of the measured task.
func (m *databaseWorkload) Load(_ context.Context, i int) (int, error) {
	if !m.readOnLoad {
		return i, nil
	}
	p, err := m.pages.Page(i)
	if err == nil && len(p.HTML) == 0 {
		err = errors.New("the file is empty")
	}
	if err == nil {
		_, err = passages.PageText(p.HTML)
	}
	if err != nil {
		return i, sdk.Data(fmt.Errorf("page %s: %w", p.Name, err))
	}
	return i, nil
}

// MaxBatch returns 1: the passages of a page form a batch.
func (m *databaseWorkload) MaxBatch() int { return 1 }

// Close closes the connections to the store.
func (m *databaseWorkload) Close() error {
	if m.tableWriter == nil {
		return nil
	}
	return m.tableWriter.Close()
}

// NewRun returns a run for the pages of one worker.
func (m *databaseWorkload) NewRun(s sdk.Sessions) (sdk.RunOf[int], error) {
	return &databaseRun{m, &textEncoder{session: s.Part(embedderPart), tokens: m.embedderRows}}, nil
}

type databaseRun struct {
	*databaseWorkload
	embedder *textEncoder
}

// Run processes pages. A payload is one byte, 1 for success or 0 for a failed page. After the last page, the database's
// MD5 in hex follows.
func (r *databaseRun) Run(ctx context.Context, samples []int, p *sdk.Payloads) error {
	for _, i := range samples {
		page, err := r.makePage(ctx, r.embedder, i)
		if err != nil {
			return err
		}
		md5, err := r.finishPage(ctx, i, page)
		switch {
		case err != nil:
			return err
		case page.failed != nil && md5 == "":
			p.AppendTokens([]byte{0}, 1)
		case md5 == "":
			p.AppendTokens([]byte{1}, 1)
		default:
			p.AppendTokens([]byte(md5), len(md5))
		}
	}
	return nil
}

// RunNotes returns notes about pages that could not be read, and pages that are not in the database.
func (m *databaseWorkload) RunNotes() (r sdk.RunNotes) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for kind, text := range []string{
		"%d pages could not be read, and are in the database by their names alone: %s",
		"%d pages failed, and are not in the database: %s",
	} {
		if n := m.counts[kind]; n > 0 {
			r.Notes = append(r.Notes, fmt.Sprintf(text, n, strings.Join(m.notes[kind], "; ")))
		}
	}
	if m.tableWriter != nil {
		r.Notes = append(r.Notes, fmt.Sprintf("%d passages of %d values in the table at %s, whose MD5 is that of passages "+
			"and vectors, not of a file", m.tableWriter.Len(), m.tableWriter.Dim(), m.tableWriter.Name()))
	}
	if m.db != nil {
		r.Notes = append(r.Notes, fmt.Sprintf("%d passages of %d values in the database", m.db.Len(), m.db.Dim()))
	}
	return r
}

// AddInfo adds the number of pages without a URL, because their passages cannot answer a question.
func (m *databaseWorkload) AddInfo(info *sdk.WorkloadInfo) {
	if info.BackendInfo == nil {
		info.BackendInfo = map[string]string{}
	}
	if s, ok := m.pages.(firstPages); ok {
		if set, isFile := s.pageSet.(*frames.PageFolder); isFile {
			if n := set.Unmapped(); n > 0 {
				info.BackendInfo["pages_without_url"] = fmt.Sprintf("%d: their passages answer no question (%s)", n,
					frames.MappingFile)
			}
			if len(set.Skipped) > 0 {
				info.BackendInfo["files_left_out"] = strings.Join(set.Skipped[:min(len(set.Skipped), maxFaults)], ", ")
			}
		}
	}
	if m.tableWriter != nil {
		info.BackendInfo["index"] = "pgvector at " + m.tableWriter.Name()
		info.OpenReasons = append(info.OpenReasons, "passages are kept by pgvector, not by the official index")
	}
	if m.path == "" && m.tableWriter == nil && !m.generated {
		info.OpenReasons = append(info.OpenReasons, "no database is kept (parameter database)")
	}
}

// ClientWork lists all work except the embedder's.
func (m *databaseWorkload) ClientWork(_, _ []backend.TensorInfo, _ int) []string {
	return []string{"pages are read, cut into passages and put into the index"}
}
