package schema

import (
	"fmt"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/internal/yaml11"
)

// ParseYAML reads a YAML 1.1 text of up to maxBytes that contains a single mapping.
func ParseYAML(text []byte, maxBytes int) (*pyvalue.Dict, error) {
	v, err := yaml11.Decode(text, maxBytes)
	if err != nil {
		return nil, err
	}
	d, ok := FromYAML(v).(*pyvalue.Dict)
	if !ok {
		return nil, fmt.Errorf("it holds %s, want a mapping", BriefText(FromYAML(v)))
	}
	return d, nil
}

// FromYAML converts a value of package yaml11 to the types of package pyvalue. Keys become texts.
func FromYAML(v any) any {
	switch v := v.(type) {
	case yaml11.Mapping:
		d := pyvalue.NewDict()
		for _, item := range v {
			key, ok := item.Key.(string)
			if !ok {
				key = fmt.Sprint(item.Key)
			}
			d.Set(key, FromYAML(item.Value))
		}
		return d
	case []any:
		all := make([]any, len(v))
		for i, item := range v {
			all[i] = FromYAML(item)
		}
		return all
	case time.Time:
		return opaqueValue{strings.TrimSuffix(v.Format(time.DateTime), " 00:00:00")}
	case fmt.Stringer:
		if n, err := pyvalue.Int(v.String()); err == nil {
			return n
		}
		return opaqueValue{v.String()}
	}
	return v
}

// opaqueValue is a value that no field accepts, such as a date.
type opaqueValue struct{ text string }

func (o opaqueValue) String() string { return o.text }
