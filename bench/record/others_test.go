package record

import (
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/system"
)

func TestFromOthers(t *testing.T) {
	for _, c := range []struct {
		o    system.OtherUse
		url  string
		note string
	}{
		{system.OtherUse{Share: 0.93, Waiting: 0.5}, "", "other programs used 93 % of the processors during this run"},
		{system.OtherUse{Share: 0.1, Waiting: -1}, "", "other programs used 10 % of the processors during this run"},
		{system.OtherUse{Share: 0.0994, Waiting: -1}, "", ""},
		{system.OtherUse{}, "", ""},
		{system.OtherUse{Stolen: 0.25}, "", "the host of this virtual machine took 25 % of the processors during this run"},
		{system.OtherUse{Share: 0.5, Stolen: 0.25}, "", "other programs used 50 % of the processors, and the host of"},
		{system.OtherUse{Share: 0.5}, "http://gpu-1:8000", "other programs used 50 %"},
		{system.OtherUse{Share: 0.5}, "http://127.0.0.1:8000", "the server on this machine among them, used 50 %"},
		{system.OtherUse{Share: 0.5}, "http://localhost:8000", "the server on this machine among them, used 50 %"},
	} {
		served := Run{Serving: &Serving{Server: ServingServer{URLs: []string{c.url}}}}
		asked := Run{Options: Options{BackendOptions: map[string]string{"url": c.url}}}
		for _, r := range []Run{served, asked} {
			r.FromOthers(c.o)
			text := ""
			for _, n := range r.Notes {
				text += n.Text
			}
			if (c.note == "") != (text == "") || !strings.Contains(text, c.note) {
				t.Errorf("%+v: %q, want %q", c.o, text, c.note)
			}
			if o := r.OtherPrograms; o == nil || (o.Waiting == nil) != (c.o.Waiting < 0) || o.Stolen != c.o.Stolen {
				t.Errorf("%+v: %+v", c.o, o)
			}
		}
	}
}
