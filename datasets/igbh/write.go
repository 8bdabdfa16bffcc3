package igbh

import (
	"archive/zip"
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/datasets/graph"
	"github.com/plumbline-ml/plumbline/internal/npy"
)

// DatasetContent provides the content of a data set to write. Its methods are called from one goroutine.
type DatasetContent interface {
	Counts() NodeCounts
	// Width returns the number of features per node.
	Width() int
	// Features writes the features of nodes of one type into dst, from node first on, Width values per node.
	Features(dst []float32, nodeType, first int)
	// Label returns the class of a paper.
	Label(paper int) int
	Edges() StoredEdges
	// Split returns the papers for training and the papers for validation.
	Split() (train, validation []uint32)
}

// WriteDataset writes a data set to dir/size/processed. Every array has a header. WriteDataset creates missing folders
// and replaces existing files.
func WriteDataset(ctx context.Context, dir, size string, c DatasetContent) error {
	folder := filepath.Join(dir, size, "processed")
	train, validation := c.Split()
	faults := []error{
		writeFile(folder, "train_idx.pt", func(w *bufio.Writer) error { return writeTorchTensor(w, "train_idx", train) }),
		writeFile(folder, "val_idx.pt", func(w *bufio.Writer) error { return writeTorchTensor(w, "val_idx", validation) }),
		writeFile(folder, "paper/node_label_2K.npy", func(w *bufio.Writer) error { return writeLabels(w, c) }),
	}
	for i, name := range TypeNames() {
		faults = append(faults, writeFile(folder, name+"/node_feat.npy", func(w *bufio.Writer) error {
			return writeFeatures(ctx, w, c, i)
		}))
	}
	edges := c.Edges()
	for i, r := range storedRelations() {
		faults = append(faults, writeFile(folder, r.folder+"/edge_index.npy", func(w *bufio.Writer) error {
			return writeEdges(ctx, w, edges[i])
		}))
	}
	return errors.Join(faults...)
}

func writeFile(folder, name string, write func(w *bufio.Writer) error) error {
	path := filepath.Join(folder, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return fmt.Errorf("make the folder of the data set: %w", err)
	}
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write the data set: %w", err)
	}
	w := bufio.NewWriterSize(f, 1<<20)
	return errors.Join(write(w), w.Flush(), f.Close())
}

// rowsPerWrite is the number of rows per write.
const rowsPerWrite = 1 << 12

func writeFeatures(ctx context.Context, w *bufio.Writer, c DatasetContent, nodeType int) error {
	nodes, width := c.Counts()[nodeType], c.Width()
	if err := writeHeader(w, "<f4", nodes, width); err != nil {
		return err
	}
	rows := make([]float32, rowsPerWrite*width)
	for first := 0; first < nodes; first += rowsPerWrite {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		block := rows[:width*min(rowsPerWrite, nodes-first)]
		c.Features(block, nodeType, first)
		if err := binary.Write(w, binary.LittleEndian, block); err != nil {
			return err
		}
	}
	return nil
}

func writeEdges(ctx context.Context, w *bufio.Writer, edges graph.EdgeList) error {
	if err := writeHeader(w, "<i8", int(edges.Len()), 2); err != nil {
		return err
	}
	pairs := make([]int64, 2*rowsPerWrite)
	for first := int64(0); first < edges.Len(); first += rowsPerWrite {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		block := pairs[:2*min(rowsPerWrite, edges.Len()-first)]
		if err := edges.Read(block, first); err != nil {
			return err
		}
		if err := binary.Write(w, binary.LittleEndian, block); err != nil {
			return err
		}
	}
	return nil
}

func writeLabels(w *bufio.Writer, c DatasetContent) error {
	labels := make([]float32, c.Counts()[Paper])
	for i := range labels {
		labels[i] = float32(c.Label(i))
	}
	if err := writeHeader(w, "<f4", len(labels), 0); err != nil {
		return err
	}
	return binary.Write(w, binary.LittleEndian, labels)
}

// writeHeader writes the header of an array. If columns is 0, the array has one dimension.
func writeHeader(w io.Writer, dtype string, rows, columns int) error {
	shape := []int{rows}
	if columns > 0 {
		shape = append(shape, columns)
	}
	_, err := w.Write(npy.AppendHeader(nil, dtype, shape...))
	return err
}

// writeTorchTensor writes ids as torch.save writes an int64 tensor: a zip file with the top folder name.
func writeTorchTensor(w io.Writer, name string, ids []uint32) error {
	data := make([]byte, 0, 8*len(ids))
	for _, id := range ids {
		data = binary.LittleEndian.AppendUint64(data, uint64(id))
	}
	z := zip.NewWriter(w)
	for _, m := range []struct {
		path string
		data []byte
	}{
		{"data.pkl", tensorPickle(uint32(len(ids)))}, {"byteorder", []byte("little")}, {"data/0", data}, {"version",
			[]byte("3\n")},
	} {
		f, err := z.CreateHeader(&zip.FileHeader{Name: name + "/" + m.path, Method: zip.Store})
		if err != nil {
			return err
		}
		if _, err := f.Write(m.data); err != nil {
			return err
		}
	}
	return z.Close()
}

// tensorPickle returns a pickle, in protocol 2, that describes a tensor of n int64 values:
// torch._utils._rebuild_tensor_v2(storage, 0, (n,), (1,), False, OrderedDict()). It refers to the storage ("storage",
// torch.LongStorage, "0", "cpu", n).
func tensorPickle(n uint32) []byte {
	number := binary.LittleEndian.AppendUint32([]byte{'J'}, n)
	text := func(s string) string {
		return "X" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(s)))) + s
	}
	storage := "(" + text("storage") + "ctorch\nLongStorage\n" + text("0") + text("cpu") + string(number) + "tQ"
	return []byte("\x80\x02ctorch._utils\n_rebuild_tensor_v2\n(" + storage + "K\x00" + string(number) +
		"\x85K\x01\x85\x89" +
		"ccollections\nOrderedDict\n)RtR.")
}
