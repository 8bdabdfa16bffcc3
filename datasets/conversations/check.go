package conversations

import (
	"errors"
	"fmt"
	"slices"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// nextRoles lists the roles that may follow each role.
var nextRoles = map[string][]string{
	"": {"user"}, "user": {"assistant"}, "assistant": {"tool", "user"}, "tool": {"assistant", "user"},
}

// checkOrder adds the faults of a conversation: the first fault of its order, because it causes further ones, and all
// faults within rows.
func (c *conversationRows) checkOrder(faults *fault.FaultList) {
	ordered := true
	role, called := "", false
	for i := range c.rows {
		r := &c.rows[i]
		if ordered {
			err := r.checkRoleAfter(role, called)
			if r.turn != i+1 {
				err = fmt.Errorf("its turns are not numbered 1, 2, 3 and so on: want turn %d here", i+1)
			}
			if err != nil {
				faults.Addf(r.where, "%v", err)
				ordered = false
			}
		}
		if err := r.checkFields(); err != nil {
			faults.Addf(r.where, "%v", err)
		}
		role, called = r.role, r.role == "assistant" && r.hasValue("tool_calls")
	}
}

// checkRoleAfter returns an error if the row may not follow a row with the given role. called reports whether that row
// called tools.
func (r *chatRow) checkRoleAfter(role string, called bool) error {
	switch {
	case !slices.Contains(nextRoles[role], r.role):
		if role == "" {
			return fmt.Errorf("its role is %q, and the first must be a user", r.role)
		}
		return fmt.Errorf("its role is %q behind %q, want one of %q", r.role, role, nextRoles[role])
	case r.role == "tool" && !called:
		return errors.New("a tool answers, and the assistant before called none")
	case r.role == "user" && called:
		return errors.New("a user speaks, and the tools that the assistant called before have not answered")
	}
	return nil
}

// checkFields checks a row without regard to its neighbours.
func (r *chatRow) checkFields() error {
	switch r.role {
	case "user":
		if !r.hasValue("content") {
			return errors.New("a user's row has no content")
		}
	case "assistant":
		return r.checkAssistant()
	case "tool":
		return r.checkResults()
	}
	return nil
}

// hasValue reports whether the named field exists and is neither null nor empty.
func (r *chatRow) hasValue(name string) bool {
	v, _ := r.Get(name)
	switch v := v.(type) {
	case string:
		return v != ""
	case []any:
		return len(v) > 0
	}
	return v != nil
}

func (r *chatRow) checkAssistant() error {
	calls, _ := r.Get("tool_calls")
	list, ok := calls.([]any)
	switch {
	case calls != nil && (!ok || len(list) == 0):
		return errors.New("tool_calls is no list of calls: leave it out where there are none")
	case len(list) == 0 && !r.hasValue("content"):
		return errors.New("an assistant's row has neither content nor tool_calls")
	}
	var faults []error
	for i, call := range list {
		d, _ := call.(*pyvalue.Dict)
		function, _ := pyvalue.Field[*pyvalue.Dict](d, "function")
		id, _ := pyvalue.Field[string](d, "id")
		name, _ := pyvalue.Field[string](function, "name")
		arguments, _ := function.Get("arguments")
		var wrong string
		switch of, _ := pyvalue.Field[string](d, "type"); {
		case id == "":
			wrong = "id, a text that is not empty"
		case of != "function":
			wrong = `type "function"`
		case name == "":
			wrong = "function.name, a text that is not empty"
		case !isCallArguments(arguments):
			wrong = "function.arguments, a text or an object"
		default:
			continue
		}
		faults = append(faults, fmt.Errorf("tool_calls[%d] has no %s", i, wrong))
	}
	return errors.Join(faults...)
}

func isCallArguments(v any) bool {
	switch v.(type) {
	case string, *pyvalue.Dict:
		return true
	}
	return false
}

func (r *chatRow) checkResults() error {
	list, _ := pyvalue.Field[[]any](r.Dict, "tool_results")
	if len(list) == 0 {
		return errors.New("a tool's row has no tool_results")
	}
	var faults []error
	for i, result := range list {
		d, _ := result.(*pyvalue.Dict)
		id, _ := pyvalue.Field[string](d, "tool_call_id")
		content, _ := d.Get("content")
		if id == "" || content == nil {
			faults = append(faults, fmt.Errorf("tool_results[%d] lacks tool_call_id, a text that is not empty, or content", i))
		}
	}
	return errors.Join(faults...)
}
