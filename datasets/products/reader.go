package products

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"

	"github.com/plumbline-ml/plumbline/datasets/internal/bytearrays"
	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
	"github.com/plumbline-ml/plumbline/datasets/internal/picture"
	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/lists"
)

// The columns that rows are read from.
const (
	title       = "product_title"
	description = "product_description"
	offered     = "potential_product_categories"
	category    = "ground_truth_category"
	brand       = "ground_truth_brand"
	secondHand  = "ground_truth_is_secondhand"
	image       = "product_image"
	imageBytes  = "product_image.bytes"
	imagePath   = "product_image.path"
	imageBase64 = "product_image_base64"
	imageFormat = "product_image_format"
)

// truths are the columns of what is true.
var truths = []string{category, brand, secondHand}

// wanted are the columns that a form has.
func (f Form) wanted() []string {
	pictures := []string{image}
	if f == Endpoints {
		pictures = []string{imageBase64, imageFormat}
	}
	return append(append([]string{title, description, offered}, truths...), pictures...)
}

// picture is the column that holds them.
func (f Form) picture() string {
	if f == Endpoints {
		return imageBase64
	}
	return imageBytes
}

// table is a Parquet file that is open.
type table struct {
	file *os.File
	*parquet.File
	leaves map[string]*parquet.Column // by their names: of the picture's parts with a dot
	form   Form
}

// open opens a file and finds its columns. The library panics on some damaged files, which is an error here.
func open(path string) (t *table, err error) {
	f, err := bounded.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it is damaged: %v", p)
		}
		if err != nil {
			_ = f.Close() // it could not be read
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if err := bounded.ParquetFooter(f, info.Size()); err != nil {
		return nil, err
	}
	file, err := parquet.OpenFile(f, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, err
	}
	t = &table{file: f, File: file, leaves: map[string]*parquet.Column{}}
	var names []string
	for _, column := range file.Root().Columns() {
		names = append(names, column.Name())
		t.addLeaves(column, column.Name())
	}
	if slices.Contains(names, imageBase64) {
		t.form = Endpoints
	}
	return t, t.check(names)
}

// addLeaves finds the leaves of a column: of a list its elements have the column's name.
func (t *table) addLeaves(column *parquet.Column, name string) {
	if column.Leaf() {
		t.leaves[name] = column
		return
	}
	children := column.Columns()
	for _, child := range children {
		if len(children) == 1 {
			t.addLeaves(child, name)
		} else {
			t.addLeaves(child, name+"."+child.Name())
		}
	}
}

// check wants the columns of the file's form.
func (t *table) check(names []string) error {
	missing := lists.Filter(t.form.wanted(), func(name string) bool { return !slices.Contains(names, name) })
	slices.Sort(names)
	if len(missing) > 0 {
		return fmt.Errorf("it has no column %s; its columns are %s", strings.Join(missing, ", "), strings.Join(names, ", "))
	}
	if _, ok := t.leaves[imageBytes]; t.form == Hub && !ok {
		return fmt.Errorf("column %s is no structure of bytes and path", image)
	}
	return nil
}

// look returns the form and the number of rows of a file.
func look(path string) (Form, int, error) {
	t, err := open(path)
	if err != nil {
		return Hub, 0, err
	}
	if t.NumRows() == 0 {
		err = errors.New("it has no rows")
	}
	return t.form, int(t.NumRows()), errors.Join(err, t.file.Close())
}

// reader reads rows of one file.
type reader struct {
	set    *Set
	ctx    context.Context
	faults *fault.List
	first  int // the index of the first row that is read
	skip   int // rows of the file before it
	most   int
	do     func(i int, row *Row) error

	names    []string           // of leaves, by their index
	pictures *bytearrays.Reader // of the present row group; nil: they come with the other columns
	row      Row
	file     []byte // its picture, decoded
	wrong    bool   // the row has a fault
	done     int
}

// rowsTogether is how many rows are taken from the library at a time: each may hold its picture.
const rowsTogether = 8

func (r *reader) read(path string) (err error) {
	t, err := open(path)
	if err != nil {
		return err
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it is damaged: %v", p)
		}
		err = errors.Join(err, t.file.Close())
	}()
	r.names = make([]string, len(t.leaves))
	for name, leaf := range t.leaves {
		if i := leaf.Index(); i < len(r.names) {
			r.names[i] = name
		}
	}
	for i, group := range t.RowGroups() {
		if r.done == r.most {
			break
		}
		if err := r.readGroup(t, i, group); err != nil {
			return err
		}
	}
	if r.done < r.most {
		return fmt.Errorf("it has %d rows, want %d: %w", r.done, r.most, io.ErrUnexpectedEOF)
	}
	return nil
}

// Row is row i of the catalogue, which alone is read.
func (s *Set) Row(ctx context.Context, i int) (*Row, error) {
	first := 0
	for k, path := range s.Files {
		if i < first+s.rows[k] {
			row, err := s.rowOf(ctx, path, first, i-first)
			if err != nil {
				return nil, fmt.Errorf("%w: %s: %w", ErrDataset, path, err)
			}
			return row, nil
		}
		first += s.rows[k]
	}
	return nil, fmt.Errorf("%w: row %d, want one below %d", ErrDataset, i, s.Len())
}

func (s *Set) rowOf(ctx context.Context, path string, first, i int) (*Row, error) {
	var faults fault.List
	var found *Row
	r := reader{set: s, ctx: ctx, faults: &faults, first: first + i, skip: i, most: 1, do: func(_ int, row *Row) error {
		found = row
		return nil
	}}
	if err := r.read(path); err != nil {
		return nil, err
	}
	return found, faults.Err(ErrDataset, path)
}

// readGroup reads the rows of a group that are wanted: its pictures one by one, as far as their pages are of a form
// that can be read so, else page by page.
func (r *reader) readGroup(t *table, i int, group parquet.RowGroup) (err error) {
	if n := int(group.NumRows()); r.skip >= n {
		r.skip -= n
		return nil
	}
	start, before := r.skip, r.done
	r.skip = 0
	pictures := t.leaves[t.form.picture()]
	r.pictures, err = bytearrays.Open(t.file, t.File, i, pictures)
	if err == nil {
		texts := lists.Filter(group.ColumnChunks(), func(c parquet.ColumnChunk) bool {
			return c.Column() != pictures.Index()
		})
		err = r.pictures.Skip(start)
		if err == nil {
			err = r.readRows(columns{group, texts}, start)
		}
		err = errors.Join(err, r.pictures.Close())
		r.pictures = nil
	}
	if errors.Is(err, bytearrays.ErrForm) {
		return r.readRows(group, start+r.done-before)
	}
	return err
}

// columns are some of a row group.
type columns struct {
	parquet.RowGroup
	chunks []parquet.ColumnChunk
}

func (c columns) ColumnChunks() []parquet.ColumnChunk { return c.chunks }

// readRows reads rows from row start of the group.
func (r *reader) readRows(group parquet.RowGroup, start int) (err error) {
	rows := parquet.NewRowGroupRowReader(group)
	defer func() { err = errors.Join(err, rows.Close()) }()
	if start > 0 {
		if err := rows.SeekToRow(int64(start)); err != nil {
			return err
		}
	}
	buffer := make([]parquet.Row, rowsTogether)
	for r.done < r.most {
		if err := context.Cause(r.ctx); err != nil {
			return err
		}
		n, err := rows.ReadRows(buffer[:min(len(buffer), r.most-r.done)])
		for _, row := range buffer[:n] {
			if err := r.take(row); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case n == 0:
			return io.ErrNoProgress
		}
	}
	return nil
}

func (r *reader) fault(column, format string, args ...any) {
	r.wrong = true
	r.faults.Addf(fmt.Sprintf("row %d", r.first+r.done), column+": "+format, args...)
}

// take makes a row of its values, and hands it over if nothing is wrong with it.
func (r *reader) take(values parquet.Row) error {
	r.row, r.wrong = Row{Picture: r.row.Picture[:0]}, false
	if r.pictures != nil {
		var err error
		if r.row.Picture, err = r.pictures.Next(r.row.Picture); err != nil {
			return fmt.Errorf("the picture of row %d: %w", r.first+r.done, err)
		}
	}
	path := ""
	for _, v := range values {
		if name := r.names[v.Column()]; name == imagePath {
			path = string(bytesOf(v))
		} else {
			r.value(name, v)
		}
	}
	r.finish(path)
	i := r.first + r.done
	r.done++
	if r.wrong {
		return nil
	}
	return r.do(i, &r.row)
}

func bytesOf(v parquet.Value) []byte {
	if v.Kind() != parquet.ByteArray {
		return nil
	}
	return v.ByteArray()
}

// value takes a value of a column. A missing text is empty, as the official programs have it for truths.
func (r *reader) value(name string, v parquet.Value) {
	texts := map[string]*string{
		title: &r.row.Title, description: &r.row.Description, category: &r.row.Category, brand: &r.row.Brand,
		imageFormat: &r.row.Format,
	}
	switch {
	case texts[name] != nil:
		*texts[name] = r.text(name, v)
	case name == offered && r.set.Form == Endpoints:
		r.row.OfferedText = r.text(name, v)
	case name == offered && !v.IsNull():
		r.row.Offered = append(r.row.Offered, r.text(name, v))
	case name == imageBytes || name == imageBase64:
		r.row.Picture = append(r.row.Picture, bytesOf(v)...)
	case name == secondHand:
		r.truth(v)
	}
}

func (r *reader) text(name string, v parquet.Value) string {
	switch {
	case v.IsNull():
		return ""
	case v.Kind() != parquet.ByteArray:
		r.fault(name, "found %v, want text", v.Kind())
		return ""
	}
	text := string(v.ByteArray())
	if !utf8.ValidString(text) {
		r.fault(name, "it is not UTF-8")
	}
	return text
}

// truth reads whether a product is second-hand: true or false, as such or as text.
func (r *reader) truth(v parquet.Value) {
	switch {
	case v.Kind() == parquet.Boolean && !v.IsNull():
		r.row.SecondHand = v.Boolean()
	default:
		known := map[string]bool{"true": true, "false": false}
		value, ok := known[string(bytesOf(v))]
		if !ok {
			r.fault(secondHand, "found %.40q, want true or false", bytesOf(v))
		}
		r.row.SecondHand = value
	}
}

// finish checks a row as a whole, and completes it.
func (r *reader) finish(path string) {
	row := &r.row
	if r.set.Form == Endpoints {
		var err error
		if row.Offered, err = listOf(row.OfferedText); err != nil {
			r.fault(offered, "%v", err)
		}
		row.Encoded = true
		r.checkBase64()
		return
	}
	row.OfferedText = pythonJSON(row.Offered)
	switch row.Format = formatOf(row.Picture); {
	case len(row.Picture) == 0 && path != "":
		r.fault(image, "it has a path alone, %.60q, and no bytes", path)
	case len(row.Picture) == 0:
		r.fault(image, "there is no picture")
	case row.Format == "":
		r.fault(image, "its first bytes are %.12q, which begin none of JPEG, PNG, GIF, WebP, BMP, TIFF", row.Picture)
	default:
		r.checkWhole(image, row.Picture)
	}
}

// checkBase64 wants a picture in base 64 to be one of the format that the row names.
func (r *reader) checkBase64() {
	row := &r.row
	if len(row.Picture) == 0 {
		r.fault(imageBase64, "there is no picture")
		return
	}
	var err error
	if r.file, err = base64.StdEncoding.AppendDecode(r.file[:0], row.Picture); err != nil {
		r.fault(imageBase64, "it is no base 64: %v", err)
		return
	}
	if found := formatOf(r.file); found != "" && found != row.Format || row.Format == "" {
		r.fault(imageFormat, "it says %.20q, and the picture is %s", row.Format, found)
		return
	}
	r.checkWhole(imageBase64, r.file)
}

// checkWhole wants a picture that decoders can read to its end.
func (r *reader) checkWhole(column string, file []byte) {
	if err := picture.Whole(file); err != nil {
		r.fault(column, "the picture of %d bytes is broken: %v", len(file), err)
	}
}

// Truths reads what is true of the first products, count of them, or all where it is 0: no texts, no pictures.
func (s *Set) Truths(count int) ([]Truth, error) {
	if count == 0 {
		count = s.Len()
	}
	all := make([]Truth, 0, count)
	var faults fault.List
	for i, path := range s.Files {
		if len(all) == count {
			break
		}
		n := min(s.rows[i], count-len(all))
		part, err := s.truthsOf(path, n, len(all), &faults)
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrDataset, path, err)
		}
		all = append(all, part...)
	}
	return all, faults.Err(ErrDataset, s.Path)
}

func (s *Set) truthsOf(path string, n, first int, faults *fault.List) (all []Truth, err error) {
	t, err := open(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it is damaged: %v", p)
		}
		err = errors.Join(err, t.file.Close())
	}()
	r := &reader{set: s, faults: faults, first: first}
	all = make([]Truth, n)
	for _, name := range append([]string{offered}, truths...) {
		r.done = 0
		if err := r.column(t, name, n, all); err != nil {
			return nil, fmt.Errorf("column %s: %w", name, err)
		}
	}
	return all, nil
}

// column reads one column of truths.
func (r *reader) column(t *table, name string, n int, all []Truth) error {
	for _, group := range t.RowGroups() {
		pages := group.ColumnChunks()[t.leaves[name].Index()].Pages()
		ended, err := r.pages(pages, name, n, all)
		if err = errors.Join(err, pages.Close()); err != nil {
			return err
		}
		if ended {
			break
		}
	}
	if r.done < n {
		return fmt.Errorf("it has %d values, want %d: %w", r.done, n, io.ErrUnexpectedEOF)
	}
	return nil
}

// truthOf adds a value of a column to what is true.
func (r *reader) truthOf(name string, v parquet.Value, of Truth) Truth {
	r.row = Row{Truth: of}
	r.value(name, v)
	if name == offered && r.set.Form == Endpoints {
		var err error
		if r.row.Offered, err = listOf(r.row.OfferedText); err != nil {
			r.fault(offered, "%v", err)
		}
	}
	return r.row.Truth
}

// pages reads pages until a row begins that is not wanted any more, which it says. A list may have values behind those
// of its first page.
func (r *reader) pages(pages parquet.Pages, name string, n int, all []Truth) (ended bool, err error) {
	buffer := make([]parquet.Value, 1024)
	for !ended {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		values := page.Values()
		for err == nil && !ended {
			var k int
			k, err = values.ReadValues(buffer)
			for _, v := range buffer[:k] {
				if ended = r.truthValue(name, v, all[:n]); ended {
					break
				}
			}
		}
		parquet.Release(page)
		if err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
	}
	return true, nil
}

// truthValue takes a value of a column of truths; ended: it begins a row that is none of all.
func (r *reader) truthValue(name string, v parquet.Value, all []Truth) (ended bool) {
	switch {
	case v.RepetitionLevel() > 0 && r.done > 0:
		all[r.done-1] = r.truthOf(name, v, all[r.done-1])
	case r.done == len(all):
		return true
	default:
		all[r.done] = r.truthOf(name, v, all[r.done])
		r.done++
	}
	return false
}
