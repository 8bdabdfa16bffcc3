package dlrm3

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/plumbline-ml/plumbline/datasets/streaming"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// embeddingTables contains tables of items and users that are separate from the model. Their rows are inputs of the
// model. nil: the model contains its tables.
type embeddingTables struct{ items, users *streaming.EmbeddingTable }

// insideModel is the parameter's value for a model that contains its tables.
const insideModel = "inside"

// openTables opens items.npy and users.npy in a folder.
func openTables(dir string) (*embeddingTables, error) {
	if dir == insideModel {
		return nil, nil
	}
	t := &embeddingTables{}
	var errItems, errUsers error
	t.items, errItems = streaming.OpenTable(filepath.Join(dir, "items.npy"))
	t.users, errUsers = streaming.OpenTable(filepath.Join(dir, "users.npy"))
	err := errors.Join(errItems, errUsers)
	if err == nil && t.items.Width != t.users.Width {
		err = fmt.Errorf("%s: rows of items have %d values, of users %d: want as many", dir, t.items.Width, t.users.Width)
	}
	if err != nil {
		return nil, sdk.Data(errors.Join(err, t.Close()))
	}
	return t, nil
}

// inputTable returns the table for an input.
func (t *embeddingTables) inputTable(input int) *streaming.EmbeddingTable {
	if input == userIDs {
		return t.users
	}
	return t.items
}

// checkSizes requires a row for each item and user.
func (t *embeddingTables) checkSizes(items int64, set *streaming.RequestSet) error {
	if t == nil {
		return nil
	}
	var users int32
	for p := range set.Periods() {
		users = max(users, slices.Max(set.Requests(p)))
	}
	if int64(t.items.Rows) < items || t.users.Rows <= int(users) {
		return sdk.Data(fmt.Errorf("tables of %d items and %d users, want %d of items, and %d of users at least",
			t.items.Rows, t.users.Rows, items, users+1))
	}
	return nil
}

// Close closes the files.
func (t *embeddingTables) Close() error {
	if t == nil {
		return nil
	}
	var faults []error
	for _, table := range []*streaming.EmbeddingTable{t.items, t.users} {
		if table != nil {
			faults = append(faults, table.Close())
		}
	}
	return errors.Join(faults...)
}

// gatherRows writes table rows into an input and fills the rest with zeros. shape is the input's shape without the
// width.
func gatherRows(b *sdk.Batch, input int, t *streaming.EmbeddingTable, shape []int64, rows [][]int32) error {
	values := backend.View[float32](b.Input(input, append(shape, int64(t.Width))...))
	each := len(values) / max(1, len(rows))
	for i, ids := range rows {
		row := values[i*each : (i+1)*each]
		if err := t.GatherRows(row, ids...); err != nil {
			return err
		}
		clear(row[len(ids)*t.Width:])
	}
	return nil
}
