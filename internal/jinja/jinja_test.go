package jinja_test

import (
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/jinja"
)

func render(source string) (string, error) {
	t, err := jinja.Parse(source)
	if err != nil {
		return "", err
	}
	return t.Render(map[string]any{"s": "a\nb", "l": []any{int64(3), "x", nil}, "n": int64(-7)}, noon)
}

// TestRender: the wanted texts are those that jinja2 3.1.6 gave in the environment of transformers.
func TestRender(t *testing.T) {
	for _, c := range [][2]string{
		{"a\n  {% if true %}\n b\n  {% endif %}\nc\n",
			"a\n b\nc"},
		{"a {%- if true -%}  b  {%- endif %} c",
			"ab c"},
		{"a\n  {%+ if true +%}\nb{% endif %}",
			"a\n  \nb"},
		{"{# x #}\ny {{ '{%' }}",
			"y {%"},
		{"{{ {'a': {'b': 1}} }}",
			"{'a': {'b': 1}}"},
		{"{{ n // 2 }} {{ n % 3 }} {{ 7 / 2 }} {{ 2 ** 3 }} {{ -n|abs }}",
			"-4 2 3.5 8 7"},
		{"{{ 1 < 2 < 3 }} {{ 'b' in s }} {{ 3 not in l }} {{ not l }}",
			"True True False False"},
		{"{{ l }} {{ (1,) }} {{ l[1:] }} {{ l[::-1] }} {{ s[-1] }}",
			"[3, 'x', None] (1,) ['x', None] [None, 'x', 3] b"},
		{"{{ x is defined }} {{ x|default('d') }} [{{ x }}]",
			"False d []"},
		{"{% set x = 1 %}{% for i in l %}{% set x = 2 %}{% endfor %}{{ x }}",
			"1"},
		{"{% set q = namespace(v=1) %}{% for i in l %}{% set q.v = 2 %}{% endfor %}{{ q.v }}",
			"2"},
		{"{% for i in range(9) if i is odd %}{{ loop.index }}{{ i }}{{ ',' if not loop.last }}{% endfor %}",
			"11,23,35,47"},
		{"{% for i in range(9) %}{% if i == 1 %}{% continue %}{% endif %}" +
			"{% if i == 3 %}{% break %}{% endif %}{{ i }}{% endfor %}",
			"02"},
		{"{% for i in [] %}{% else %}none{% endfor %}",
			"none"},
		{"{% macro m(a, b=2) %}{{ a }}{{ b }}{% endmacro %}{{ m(1) }}{{ m(b=3, a=0) }}",
			"1203"},
		{"{{ {'b': 1, 'a': [1.5, 'é<', none]}|tojson }}",
			`{"b": 1, "a": [1.5, "é<", null]}`},
		{"{{ {'a': [1, {}]}|tojson(indent=2) }}",
			"{\n  \"a\": [\n    1,\n    {}\n  ]\n}"},
		{"{{ '%s-%d' % ('a', 3) }} {{ '{} {1}'.format(1, 2) if false else '{}{x}'.format(1, x=2) }}",
			"a-3 12"},
		{"{{ ' a b '.split() }} {{ 'a,b,c'.split(',', 1) }} {{ 'xxa'.lstrip('x') }}",
			"['a', 'b'] ['a', 'b,c'] a"},
		{"{% set t %} x {% endset %}[{{ t|trim }}] {% filter upper %}é{% endfilter %}",
			"[x] É"},
		{"{{ [{'k': 1}, {'k': 2}]|selectattr('k', 'equalto', 2)|map(attribute='k')|join }}",
			"2"},
		{"{{ '<' + '<'|safe }} {{ strftime_now('%d %B %Y %-d') }}",
			"&lt;< 14 March 2026 14"},
		{"{% generation %}x{% endgeneration %}{{ 'a' 'b' ~ 1 }}",
			"xab1"},
	} {
		if got, err := render(c[0]); err != nil || got != c[1] {
			t.Errorf("%s\n%q (%v), want %q", c[0], got, err, c[1])
		}
	}
}

// TestRefuses: what is wrong, or not supported, is said with its line.
func TestRefuses(t *testing.T) {
	for _, c := range [][2]string{
		{"{{",
			"line 1: a tag without its end, want }}"},
		{"\n{% if %}",
			"line 2: found %}, want a value"},
		{"{% if true %}x",
			"found the end of the template, want {% endif %}"},
		{"{% include 'x' %}",
			`the statement "include" is unknown or not supported`},
		{"\n\n{{ x.y }}",
			"line 3: x is undefined, and has no y"},
		{"{{ 'a' + 1 }}",
			"want numbers, or two texts"},
		{"{{ l.append(1) }}",
			"the sandbox does not let it"},
		{"{{ 'a'|nothing }}",
			`no filter is named "nothing"`},
		{"{{ 'a' is nothing }}",
			`no test is named "nothing"`},
		{"{{ raise_exception('not so') }}",
			"not so"},
		{"{{ {1: 2} }}",
			"a key of a dict is no text: that is not supported"},
		{"{% raw %}x{% endraw %}",
			"raw is not supported"},
		{"{{ 'a }}",
			"a text without its end"},
		{"{{ [1, (2] }}",
			`unexpected "]"`},
		{"{% break %}",
			"break outside of a loop"},
		{"{{ 1 // 0 }}",
			"division by zero"},
		{"{{ f(*l) }}",
			"arguments by * are not supported"},
		{"{{ ''.__class__.mro() }}",
			"is undefined"},
		{"{% for a, b in l %}{% endfor %}",
			"3 is no list"},
		{"{% macro m(a) %}{% endmacro %}{{ m(1, 2) }}",
			"takes 1 arguments"},
	} {
		if _, err := render(c[0]); err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%s\n%v, want %q", c[0], err, c[1])
		}
	}
}

// TestBounds: no template runs without end, or takes all memory.
func TestBounds(t *testing.T) {
	for _, c := range [][2]string{
		{"{% for a in range(99999) %}{% for b in range(99999) %}x{% endfor %}{% endfor %}",
			"steps"},
		{"{% set q = namespace(v='x') %}{% for i in range(99) %}{% set q.v = q.v ~ q.v %}{% endfor %}",
			"MiB"},
		{"{% set q = namespace(v=[1]) %}{% for i in range(99) %}{% set q.v = q.v + q.v %}{% endfor %}",
			"MiB"},
		{"{{ 'x' * 999999999999 }}",
			"MiB"},
		{"{{ ('x' * 99999).replace('x', 'y' * 99999) }}",
			"MiB"},
		{"{{ ('x\n' * 9999)|indent(9999999) }}",
			"MiB"},
		{"{{ range(999999999) }}",
			"a range of more than 100000 numbers"},
		{"{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
			"deeper than"},
		{"{{ " + strings.Repeat("(", 9999) + "1" + strings.Repeat(")", 9999) + " }}",
			"deeper than"},
		{strings.Repeat("{% if 1 %}", 9999),
			"deeper than"},
		{"{{ " + strings.Repeat("not ", 9999) + "1 }}",
			"deeper than"},
		{"{{ " + strings.Repeat("-", 9999) + "1 }}",
			"deeper than"},
		{strings.Repeat("x", 1<<20+1),
			"want at most"},
		{"{% set q = namespace(v=[]) %}{% for i in range(999) %}{% set q.v = [q.v] %}{% endfor %}{{ q.v }}",
			"deeper than"},
	} {
		if _, err := render(c[0]); err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%.80s\n%v, want %q", c[0], err, c[1])
		}
	}
}

// FuzzRender looks for templates that end in a panic, or in no end.
func FuzzRender(f *testing.F) {
	for _, g := range readGolden(f, "trl.jsonl.gz") {
		if g.Text != "" {
			f.Add(g.Text)
		}
	}
	for _, source := range []string{"{{ l[1:0:-1] }}", "{% set a, b = l[:2] %}{{ 'a'.join(a) }}", "{{ n ** n % 3 }}"} {
		f.Add(source)
	}
	values := readChats(f)["toolcall"]
	f.Fuzz(func(_ *testing.T, source string) {
		if t, err := jinja.Parse(source); err == nil {
			_, _ = t.Render(values, noon)
		}
	})
}
