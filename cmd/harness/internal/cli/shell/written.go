package shell

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/sdk"
)

// WriteJSON writes a document as JSON and escapes HTML characters.
func WriteJSON(w io.Writer, document any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(document)
}

// WriteUnescapedJSON writes a document as JSON without escaping HTML characters.
func WriteUnescapedJSON(w io.Writer, document any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(document)
}

// WriteFile writes a file atomically, or to standard output if name is empty.
func (a *App) WriteFile(name string, write func(io.Writer) error) error {
	if name == "" {
		return write(a.Stdout)
	}
	var text bytes.Buffer
	if err := write(&text); err != nil {
		return err
	}
	return sdk.Data(wholefile.Write(name, text.Bytes(), 0o666))
}

// OfficialExitError ends a command with the exit code of the official tool.
func OfficialExitError(failed bool) error {
	if failed {
		return &exitcode.Outcome{Code: exitcode.Internal} // 1, as in the official tool
	}
	return nil
}
