package shell

import (
	"encoding/json"
	"io"
)

// WriteJSON writes a document for programs, with the marks of HTML escaped.
func WriteJSON(w io.Writer, document any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(document)
}
