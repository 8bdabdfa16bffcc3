package bench

import (
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"github.com/plumbline-ml/plumbline/internal/checksum"
	"github.com/plumbline-ml/plumbline/internal/system"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/plugin"
	"github.com/plumbline-ml/plumbline/bench/record"
)

// facts are the parts of a record that do not depend on the run.
type facts struct {
	Harness       record.Harness
	System        system.Info
	Plugin        record.Plugin
	Command       []string
	DatasetSHA256 string
}

// known are the facts without checksums, for which files are read.
func (r Request) known(p *Plan) facts {
	f := facts{
		Harness: r.Harness, System: r.machine(), Command: r.Command,
		Plugin: record.Plugin{Name: p.Served.Name, Version: p.Served.Description.Version, Path: p.Served.Path},
	}
	if f.Harness == (record.Harness{}) {
		f.Harness = version()
	}
	return f
}

// facts gathers what every record of a plan's runs says.
func (r Request) facts(p *Plan) (f facts, err error) {
	f = r.known(p)
	if f.Plugin.SHA256, _, err = checksum.File(p.Served.Path); err != nil {
		return f, plugin.Fault(fmt.Errorf("plugin %s: %w", p.Served.Name, err))
	}
	if p.Options.Dataset != "" {
		if f.DatasetSHA256, err = checksum.Dataset(p.Options.Dataset); err != nil {
			return f, sdk.Data(err)
		}
	}
	return f, nil
}

// machine describes the machine.
func (r Request) machine() system.Info {
	if r.Machine == nil {
		return system.Describe(os.DirFS("/"))
	}
	return system.Describe(r.Machine)
}

func (r Request) now() time.Time {
	if r.Now == nil {
		return time.Now()
	}
	return r.Now()
}

// version is that of this module in the program that runs.
func version() record.Harness {
	const module = "github.com/plumbline-ml/plumbline/bench"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == module {
				return record.Harness{Version: m.Version}
			}
		}
	}
	return record.Harness{Version: "devel"}
}
