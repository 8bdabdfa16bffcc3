package retrieval

import (
	"errors"
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// ErrNoObject means that a reply does not contain a JSON object: a "{" with a later "}".
var ErrNoObject = errors.New("no JSON object in the reply")

// FindObject finds the JSON object in a reply in the same way as the reference: from the first "{" to the last "}",
// within the first pair of ``` if there is one. It parses JSON like Python. The error is ErrNoObject or describes the
// invalid JSON.
func FindObject(reply string) (*pyvalue.Dict, error) {
	if parts := strings.SplitN(reply, "```", 3); len(parts) == 3 {
		reply = parts[1]
	}
	from, to := strings.IndexByte(reply, '{'), strings.LastIndexByte(reply, '}')
	if from < 0 || to < from {
		return nil, ErrNoObject
	}
	v, err := pyvalue.Decode(reply[from : to+1])
	if err != nil {
		return nil, err
	}
	d, ok := v.(*pyvalue.Dict)
	if !ok { // cannot happen: the text begins with a brace
		return nil, fmt.Errorf("%w: %s", pyvalue.ErrType, pyvalue.Name(v))
	}
	return d, nil
}
