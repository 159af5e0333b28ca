package agwp

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// States of a job, the values of [Job.State]. Later releases may add some.
const (
	JobStateQueued    = "queued"
	JobStateClaimed   = "claimed"
	JobStateSucceeded = "succeeded"
	JobStateDead      = "dead"
	JobStateCancelled = "cancelled"
)

// Object is a JSON object: a payload or a result. Numbers that were received are [json.Number], so that large ones stay exact; Decode turns
// the object into a type of your own.
type Object map[string]any

// Ptr gives the pointer that an optional field wants.
func Ptr[T any](value T) *T {
	return &value
}

// UnmarshalJSON keeps numbers as they were written.
func (o *Object) UnmarshalJSON(data []byte) error {
	var members map[string]any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&members); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("agwp: more than one JSON value")
	}
	*o = members
	return nil
}

// Decode stores the object in what into points to, by the rules of [json.Unmarshal].
func (o Object) Decode(into any) error {
	data, err := json.Marshal(o)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}

func marshal(message any) ([]byte, error) {
	return json.Marshal(message)
}

// given tells an empty object from none, which omitempty does not.
func given(object Object) *Object {
	if object == nil {
		return nil
	}
	return &object
}
