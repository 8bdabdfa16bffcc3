package shell

import (
	"testing"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
)

func TestConfigDir(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want string
	}{
		{map[string]string{envConfig: "/a", "XDG_CONFIG_HOME": "/b", "HOME": "/c"}, "/a"},
		{map[string]string{"XDG_CONFIG_HOME": "/b", "HOME": "/c"}, "/b/plumbline"},
		{map[string]string{"XDG_CONFIG_HOME": "relative", "HOME": "/c"}, "/c/.config/plumbline"},
	} {
		if got, err := configDir(func(key string) string { return c.env[key] }); err != nil || got != c.want {
			t.Errorf("%v: %s, %v; want %s", c.env, got, err, c.want)
		}
	}
	if _, err := configDir(func(string) string { return "" }); exitcode.Of(err) != exitcode.Usage {
		t.Errorf("without a home: %v, want an error of usage", err)
	}
}
