package cli

import (
	"strings"

	"github.com/plumbline-ml/plumbline/bench/record/export"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/queries"
)

// exportFlag reads the files of an export into a request.
type exportFlag struct{ formats *[]export.Format }

// Set implements pflag.Value.
func (e *exportFlag) Set(list string) (err error) {
	*e.formats, err = queries.Formats(append(e.names(), strings.Split(list, ",")...))
	return err
}

// names are the files that were listed so far.
func (e *exportFlag) names() []string {
	var names []string
	for _, f := range *e.formats {
		names = append(names, f.Name)
	}
	return names
}

// String implements pflag.Value.
func (e *exportFlag) String() string {
	if e.formats == nil {
		return ""
	}
	return strings.Join(e.names(), ",")
}

// Type implements pflag.Value.
func (e *exportFlag) Type() string { return "files" }
