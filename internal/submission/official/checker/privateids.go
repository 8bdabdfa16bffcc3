package checker

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/official/internal/python"
	"github.com/plumbline-ml/plumbline/internal/submission/result"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// WritePrivateIDs writes results/SYSTEM/privateid.json for each system without a private id, like the official checker
// with --private-ids.
func WritePrivateIDs(root string, o Options) error {
	t, err := tree.Open(root, o.Round)
	if err != nil {
		return err
	}
	defer t.Close()
	var faults []error
	for _, s := range t.Submitters {
		for _, system := range s.Systems {
			name := path.Join(system.Place.Results(), tree.PrivateIDFile)
			if o.Submitter != "" && s.Submitter != o.Submitter || hasPrivateID(t, name, system.System) {
				continue
			}
			text := fmt.Sprintf("{\n    %s: %s\n}", pyvalue.JSON(system.System), pyvalue.JSON(result.PrivateID(system.System)))
			faults = append(faults, wholefile.Write(filepath.Join(root, filepath.FromSlash(name)), []byte(text), 0o666))
		}
	}
	return errors.Join(faults...)
}

func hasPrivateID(t *tree.Tree, name, system string) bool {
	f, err := t.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	v, err := python.ReadJSON(f, name)
	ids, ok := v.(*pyvalue.Dict)
	_, has := ids.Get(system)
	return err == nil && ok && has
}
