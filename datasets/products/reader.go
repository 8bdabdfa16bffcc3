package products

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
	"github.com/plumbline-ml/plumbline/datasets/internal/picture"
	"github.com/plumbline-ml/plumbline/internal/parquetfile"
)

// Names of the columns.
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

// truthColumns lists the columns of the ground truth.
var truthColumns = []string{category, brand, secondHand}

// columnNames returns the required columns of a form.
func (f FileForm) columnNames() []string {
	pictures := []string{image}
	if f == Endpoints {
		pictures = []string{imageBase64, imageFormat}
	}
	return append(append([]string{title, description, offered}, truthColumns...), pictures...)
}

// parquetTable is an open Parquet file.
type parquetTable struct {
	*parquetfile.ParquetFile
	leaves map[string]*parquetfile.Column // leaves by name; names of the picture's parts contain a dot
	form   FileForm
}

// openTable opens a file and finds its columns.
func openTable(path string) (*parquetTable, error) {
	file, err := parquetfile.Open(path)
	if err != nil {
		return nil, err
	}
	t := &parquetTable{ParquetFile: file, leaves: map[string]*parquetfile.Column{}}
	for _, column := range file.Columns() {
		t.addLeaves(column, column.Name)
	}
	if slices.Contains(file.ColumnNames(), imageBase64) {
		t.form = Endpoints
	}
	if err := t.checkColumns(file.ColumnNames()); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return t, nil
}

// addLeaves adds the leaves of a column. Elements of a list get the column's name.
func (t *parquetTable) addLeaves(column *parquetfile.Column, name string) {
	if column.IsLeaf() {
		t.leaves[name] = column
		return
	}
	for _, child := range column.Columns {
		if len(column.Columns) == 1 {
			t.addLeaves(child, name)
		} else {
			t.addLeaves(child, name+"."+child.Name)
		}
	}
}

// checkColumns requires the columns of the file's form.
func (t *parquetTable) checkColumns(names []string) error {
	var missing []string
	for _, name := range t.form.columnNames() {
		if !slices.Contains(names, name) {
			missing = append(missing, name)
		}
	}
	slices.Sort(names)
	if len(missing) > 0 {
		return fmt.Errorf("it has no column %s; its columns are %s", strings.Join(missing, ", "), strings.Join(names, ", "))
	}
	if _, ok := t.leaves[imageBytes]; t.form == Hub && !ok {
		return fmt.Errorf("column %s is no structure of bytes and path", image)
	}
	for _, name := range t.form.columnNames() {
		if _, ok := t.leaves[name]; !ok && name != image {
			return fmt.Errorf("column %s is a structure, want text or a list of texts", name)
		}
	}
	return nil
}

// inspectFile returns the form and the number of rows of a file.
func inspectFile(path string) (FileForm, int, error) {
	t, err := openTable(path)
	if err != nil {
		return Hub, 0, err
	}
	if t.RowCount() == 0 {
		err = errors.New("it has no rows")
	}
	return t.form, int(t.RowCount()), errors.Join(err, t.Close())
}

// rowReader reads rows of a file.
type rowReader struct {
	set       *ProductSet
	ctx       context.Context
	faults    *fault.FaultList
	truthOnly bool // read only the ground truth
	first     int  // index in the catalogue of the first row to read
	skip      int  // number of rows in the file before first
	maxRows   int
	do        func(i int, row *ProductRow) error

	columns  []leafColumn // columns of the current row group
	row      ProductRow
	path     string // path of the row's picture
	file     []byte // decoded file of the row's picture
	invalid  bool   // the row has a fault
	rowsRead int
}

// leafColumn is a column to read.
type leafColumn struct {
	name   string
	leaf   *parquetfile.Column
	values *parquetfile.ColumnReader
}

func (r *rowReader) readFile(path string) (err error) {
	t, err := openTable(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	for group := range t.RowGroups() {
		if r.rowsRead == r.maxRows {
			break
		}
		if err := r.readGroup(t, group); err != nil {
			return err
		}
	}
	if r.rowsRead < r.maxRows {
		return fmt.Errorf("it has %d rows, want %d: %w", r.rowsRead, r.maxRows, io.ErrUnexpectedEOF)
	}
	return nil
}

// Row reads only row i of the catalogue.
func (s *ProductSet) Row(ctx context.Context, i int) (*ProductRow, error) {
	first := 0
	for k, path := range s.Files {
		if i < first+s.rowCounts[k] {
			row, err := s.readRow(ctx, path, first, i-first)
			if err != nil {
				return nil, fmt.Errorf("%w: %s: %w", ErrDataset, path, err)
			}
			return row, nil
		}
		first += s.rowCounts[k]
	}
	return nil, fmt.Errorf("%w: row %d, want one below %d", ErrDataset, i, s.Len())
}

func (s *ProductSet) readRow(ctx context.Context, path string, first, i int) (*ProductRow, error) {
	var faults fault.FaultList
	var found *ProductRow
	r := rowReader{set: s, ctx: ctx, faults: &faults, first: first + i, skip: i, maxRows: 1, do: func(_ int,
		row *ProductRow) error {
		found = row
		return nil
	}}
	if err := r.readFile(path); err != nil {
		return nil, err
	}
	return found, faults.Err(ErrDataset, path)
}

// wantedLeaves returns the names of the leaves to read.
func (r *rowReader) wantedLeaves(t *parquetTable) []string {
	if r.truthOnly {
		return append([]string{offered}, truthColumns...)
	}
	var names []string
	for _, name := range t.form.columnNames() {
		if name != image {
			names = append(names, name)
		}
	}
	if t.form == Hub {
		names = append(names, imageBytes)
		if t.leaves[imagePath] != nil {
			names = append(names, imagePath)
		}
	}
	return names
}

// readGroup reads the requested rows of a row group.
func (r *rowReader) readGroup(t *parquetTable, group int) (err error) {
	n := t.GroupRows(group)
	if int64(r.skip) >= n {
		r.skip -= int(n)
		return nil
	}
	r.columns = r.columns[:0]
	defer func() {
		for _, c := range r.columns {
			err = errors.Join(err, c.values.Close())
		}
	}()
	for _, name := range r.wantedLeaves(t) {
		c := leafColumn{name: name, leaf: t.leaves[name]}
		if c.values, err = t.OpenColumn(group, c.leaf); err == nil {
			r.columns = append(r.columns, c)
			err = c.values.SkipRows(r.skip)
		}
		if err != nil {
			return fmt.Errorf("column %s: %w", name, err)
		}
	}
	n -= int64(r.skip)
	r.skip = 0
	for ; n > 0 && r.rowsRead < r.maxRows; n-- {
		if err := context.Cause(r.ctx); err != nil {
			return err
		}
		if err := r.readRow(); err != nil {
			return err
		}
	}
	return nil
}

func (r *rowReader) addFault(column, format string, args ...any) {
	r.invalid = true
	r.faults.Addf(fmt.Sprintf("row %d", r.first+r.rowsRead), column+": "+format, args...)
}

// readRow reads a row and passes it to do if it is valid.
func (r *rowReader) readRow() error {
	r.row, r.path, r.invalid = ProductRow{Picture: r.row.Picture[:0]}, "", false
	for i := range r.columns {
		if err := r.readCell(&r.columns[i]); err != nil {
			return fmt.Errorf("row %d: column %s: %w", r.first+r.rowsRead, r.columns[i].name, err)
		}
	}
	r.finishRow()
	i := r.first + r.rowsRead
	r.rowsRead++
	if r.invalid {
		return nil
	}
	return r.do(i, &r.row)
}

// maxOfferedBytes limits the size in bytes of a product's offered categories.
const maxOfferedBytes = 1 << 20

// readCell reads the values of a column in the current row.
func (r *rowReader) readCell(c *leafColumn) error {
	bytes := 0
	for first := true; ; first = false {
		v, err := c.values.Peek()
		end := errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF)
		switch {
		case first && end:
			return io.ErrUnexpectedEOF
		case !first && (end || err == nil && v.Repetition == 0):
			return nil
		case err != nil:
			return err
		}
		if v, err = c.values.Next(); err != nil {
			return err
		}
		r.setValue(c, v)
		if c.leaf.Repetition == 0 {
			return nil
		}
		if bytes += len(v.Bytes); bytes > maxOfferedBytes {
			return fmt.Errorf("found a list of more than %d bytes", maxOfferedBytes)
		}
	}
}

// bytesOf returns the bytes of a value, or nil if it is null.
func (c *leafColumn) bytesOf(v *parquetfile.LeafValue) []byte {
	if c.leaf.Kind != parquetfile.ByteArray || v.Null {
		return nil
	}
	return v.Bytes
}

// setValue sets the field of a column. A missing text becomes "", as in the official programs' ground truth.
func (r *rowReader) setValue(c *leafColumn, v *parquetfile.LeafValue) {
	texts := map[string]*string{
		title: &r.row.Title, description: &r.row.Description, category: &r.row.Category, brand: &r.row.Brand,
		imageFormat: &r.row.Format,
	}
	switch {
	case texts[c.name] != nil:
		*texts[c.name] = r.textValue(c, v)
	case c.name == offered && r.set.Form == Endpoints:
		r.row.OfferedText = r.textValue(c, v)
	case c.name == offered && !v.Null:
		r.row.Offered = append(r.row.Offered, r.textValue(c, v))
	case c.name == imageBytes || c.name == imageBase64:
		r.row.Picture = append(r.row.Picture, c.bytesOf(v)...)
	case c.name == imagePath:
		r.path = string(c.bytesOf(v))
	case c.name == secondHand:
		r.setSecondHand(c, v)
	}
}

func (r *rowReader) textValue(c *leafColumn, v *parquetfile.LeafValue) string {
	switch {
	case v.Null:
		return ""
	case c.leaf.Kind != parquetfile.ByteArray:
		r.addFault(c.name, "found %s, want text", c.leaf.TypeName())
		return ""
	}
	text := string(v.Bytes)
	if !utf8.ValidString(text) {
		r.addFault(c.name, "it is not UTF-8")
	}
	return text
}

// setSecondHand sets whether a product is second-hand, from a boolean or the text true or false.
func (r *rowReader) setSecondHand(c *leafColumn, v *parquetfile.LeafValue) {
	if c.leaf.Kind == parquetfile.Boolean && !v.Null {
		r.row.SecondHand = v.Number != 0
		return
	}
	known := map[string]bool{"true": true, "false": false}
	value, ok := known[string(c.bytesOf(v))]
	if !ok {
		r.addFault(secondHand, "found %.40q, want true or false", c.bytesOf(v))
	}
	r.row.SecondHand = value
}

// finishRow checks the complete row and fills in derived fields.
func (r *rowReader) finishRow() {
	row := &r.row
	if r.set.Form == Endpoints {
		var err error
		if row.Offered, err = parseCategories(row.OfferedText); err != nil {
			r.addFault(offered, "%v", err)
		}
		row.Encoded = true
	}
	switch {
	case r.truthOnly:
		return
	case r.set.Form == Endpoints:
		r.checkBase64()
		return
	}
	row.OfferedText = pythonJSON(row.Offered)
	switch row.Format = pictureFormat(row.Picture); {
	case len(row.Picture) == 0 && r.path != "":
		r.addFault(image, "it has a path alone, %.60q, and no bytes", r.path)
	case len(row.Picture) == 0:
		r.addFault(image, "there is no picture")
	case row.Format == "":
		r.addFault(image, "its first bytes are %.12q, which begin none of JPEG, PNG, GIF, WebP, BMP, TIFF", row.Picture)
	default:
		r.checkComplete(image, row.Picture)
	}
}

// checkBase64 requires base64 of a picture in the format that the row names.
func (r *rowReader) checkBase64() {
	row := &r.row
	if len(row.Picture) == 0 {
		r.addFault(imageBase64, "there is no picture")
		return
	}
	var err error
	if r.file, err = base64.StdEncoding.AppendDecode(r.file[:0], row.Picture); err != nil {
		r.addFault(imageBase64, "it is no base 64: %v", err)
		return
	}
	if found := pictureFormat(r.file); found != "" && found != row.Format || row.Format == "" {
		r.addFault(imageFormat, "it says %.20q, and the picture is %s", row.Format, found)
		return
	}
	r.checkComplete(imageBase64, r.file)
}

// checkComplete requires a picture that is complete.
func (r *rowReader) checkComplete(column string, file []byte) {
	if err := picture.CheckWhole(file); err != nil {
		r.addFault(column, "the picture of %d bytes is broken: %v", len(file), err)
	}
}

// Truths reads the ground truth of the first count products, or of all if count is 0. It reads no texts and no
// pictures.
func (s *ProductSet) Truths(count int) ([]ProductTruth, error) {
	if count == 0 {
		count = s.Len()
	}
	all := make([]ProductTruth, 0, count)
	var faults fault.FaultList
	first := 0
	for i, path := range s.Files {
		if first == count {
			break
		}
		n := min(s.rowCounts[i], count-first)
		r := rowReader{set: s, ctx: context.Background(), faults: &faults, truthOnly: true, first: first, maxRows: n,
			do: func(_ int, row *ProductRow) error {
				all = append(all, row.ProductTruth)
				return nil
			}}
		if err := r.readFile(path); err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrDataset, path, err)
		}
		first += n
	}
	return all, faults.Err(ErrDataset, s.Path)
}
