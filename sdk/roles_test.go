package sdk

import (
	"maps"
	"reflect"
	"strings"
	"testing"
)

func TestRole(t *testing.T) {
	p := ParamInfo{Name: "payload", Roles: "written mlmark=top5"}
	for role, want := range map[string]struct {
		value string
		ok    bool
	}{RoleWritten: {"", true}, RoleMLMark: {"top5", true}, RoleElement: {"", false}, "mlmark=top5": {"", false}} {
		if value, ok := p.Role(role); value != want.value || ok != want.ok {
			t.Errorf("%s: %q, %t", role, value, ok)
		}
	}
	m := ModelInfo{Params: []ParamInfo{
		{Name: "a"}, {Name: "t", Roles: "replay=temperature"}, {Name: "s", Roles: "replay=seed"},
	}}
	want := map[string]string{"temperature": "t", "seed": "s"}
	if got := m.ParamsOf(RoleReplay); !maps.Equal(got, want) || m.ParamOf(RoleReplay) != "t" ||
		m.ParamOf(RoleEnds) != "" {
		t.Errorf("%v", got)
	}
}

func TestCheckRoles(t *testing.T) {
	for roles, want := range map[string]string{
		"": "", "element": "", "written mlmark=top5": "", "replay=seed": "", "elemant": `unknown role "elemant"`,
		"replay": "want a value", "ends=2": "want a value", "mlmark=": "want a value",
	} {
		err := ParamInfo{Name: "p", Roles: roles}.CheckRoles()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", roles, err)
		}
	}
}

// TestWithRoles checks that a plugin without roles gets them from the names of its options, and that a plugin with
// roles keeps its own.
func TestWithRoles(t *testing.T) {
	params := func(names ...string) (all []ParamInfo) {
		for _, n := range names {
			all = append(all, ParamInfo{Name: n})
		}
		return all
	}
	old := Description{Models: []ModelInfo{
		{Params: params("dtype", "payload", "per_class", "size")}, {Params: params("payload", "eos", "tokenizer", "seed")},
		{Replay: true, Params: params("temperature", "seed", "max_new_tokens", "turn_timeout", "part")},
	}}
	want := [][]string{
		{"element", "written mlmark=top5", "mlmark=5", ""}, {"written", "ends", "tokenizer", ""},
		{"replay=temperature", "replay=seed", "replay=max_new_tokens", "replay=turn_timeout_s", ""},
	}
	for i, m := range old.WithRoles().Models {
		var got []string
		for _, p := range m.Params {
			got = append(got, p.Roles)
		}
		if !reflect.DeepEqual(got, want[i]) {
			t.Errorf("model %d: %q, want %q", i, got, want[i])
		}
	}
	if old.Models[0].Params[0].Roles != "" {
		t.Error("the description that was given is changed")
	}
	own := Description{Models: []ModelInfo{
		{Params: params("dtype")}, {Params: []ParamInfo{{Name: "kind", Roles: RoleElement}}},
	}}
	if got := own.WithRoles(); !reflect.DeepEqual(got, own) {
		t.Errorf("%+v", got)
	}
}
