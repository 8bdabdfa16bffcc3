package retrieval

import (
	"errors"
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// ErrNoObject is a reply without a JSON object: no "{" with a "}" behind it.
var ErrNoObject = errors.New("no JSON object in the reply")

// FindObject finds the JSON object in a reply as the reference does: within the first pair of ``` if there is one, from
// the first "{" to the last "}". It is read as Python reads JSON. The error is ErrNoObject, or says what is no JSON.
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
	if !ok { // not of what begins with a brace
		return nil, fmt.Errorf("%w: %s", pyvalue.ErrType, pyvalue.Name(v))
	}
	return d, nil
}
