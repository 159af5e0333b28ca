// Calls and recodes as the code says that is generated from one release, whose folder is the module: one JSON object a line, in and out.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"

	"agwp.dev/wire"
	"agwp.dev/wire/agwpv1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

type order struct {
	Do        string
	ID        int
	Format    string
	Server    string
	Operation string
	JobID     string `json:"job_id"`
	Request   json.RawMessage
	Message   string
	Bytes     []byte
}

type told struct {
	Event   string `json:"event"`
	ID      int    `json:"id,omitempty"`
	Code    string `json:"code,omitempty"`
	JobID   string `json:"job_id,omitempty"`
	Message string `json:"message,omitempty"`
	Bytes   []byte `json:"bytes,omitempty"`
}

// format is how messages are written; Job and Error are read into what the release has for them.
type format interface {
	contentType() string
	// request makes a message of JSON and refuses what the message does not have.
	request(name string, fields []byte) ([]byte, error)
	recode(name string, message []byte) ([]byte, error)
	jobID(job []byte) (string, error)
	code(problem []byte) (string, error)
}

type inJSON struct{}

func (inJSON) contentType() string { return "application/json" }

func (inJSON) request(name string, fields []byte) ([]byte, error) {
	message := agwp.Messages[name]()
	decoder := json.NewDecoder(bytes.NewReader(fields))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(message); err != nil {
		return nil, err
	}
	return json.Marshal(message)
}

func (inJSON) recode(name string, message []byte) ([]byte, error) {
	known, ok := agwp.Messages[name]
	if !ok {
		return nil, errors.New("there is no " + name)
	}
	read := known()
	if err := json.Unmarshal(message, read); err != nil {
		return nil, err
	}
	return json.Marshal(read)
}

func (inJSON) jobID(job []byte) (string, error) {
	var read agwp.Job
	err := json.Unmarshal(job, &read)
	return read.JobId, err
}

func (inJSON) code(problem []byte) (string, error) {
	var read agwp.Problem
	err := json.Unmarshal(problem, &read)
	return string(read.Code), err
}

type inProtobuf struct{}

func (inProtobuf) contentType() string { return "application/x-protobuf" }

func message(name string) (proto.Message, error) {
	found, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName("agwp.v1." + name))
	if err != nil {
		return nil, err
	}
	return found.New().Interface(), nil
}

func (inProtobuf) request(name string, fields []byte) ([]byte, error) {
	made, err := message(name)
	if err != nil {
		return nil, err
	}
	if err := protojson.Unmarshal(fields, made); err != nil {
		return nil, err
	}
	return proto.Marshal(made)
}

func (inProtobuf) recode(name string, written []byte) ([]byte, error) {
	read, err := message(name)
	if err != nil {
		return nil, err
	}
	// Else what the release does not know would go through unread.
	if err := (proto.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(written, read); err != nil {
		return nil, err
	}
	return proto.Marshal(read)
}

func (inProtobuf) jobID(job []byte) (string, error) {
	var read agwpv1.Job
	err := proto.Unmarshal(job, &read)
	return read.GetJobId(), err
}

func (inProtobuf) code(problem []byte) (string, error) {
	var read agwpv1.Error
	err := proto.Unmarshal(problem, &read)
	return read.GetCode(), err
}

var formats = map[string]format{"json": inJSON{}, "protobuf": inProtobuf{}}

func call(o order) (told, error) {
	format := formats[o.Format]
	body, err := format.request(strings.ToUpper(o.Operation[:1])+o.Operation[1:]+"Request", o.Request)
	if err != nil {
		return told{Event: "invalid", Message: err.Error()}, nil
	}
	address := fmt.Sprintf("%s/v1/jobs/%s/%s", o.Server, o.JobID, strings.TrimSuffix(o.Operation, "Job"))
	request, err := http.NewRequest(http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return told{}, err
	}
	request.Header.Set("Content-Type", format.contentType())
	request.Header.Set("Accept", format.contentType())
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return told{}, err
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		return told{}, err
	}
	if answer.StatusCode != http.StatusOK {
		code, err := format.code(content)
		return told{Event: "refused", Code: code}, err
	}
	job, err := format.jobID(content)
	return told{Event: "answer", JobID: job}, err
}

func recode(o order) told {
	recoded, err := formats[o.Format].recode(o.Message, o.Bytes)
	if err != nil {
		return told{Event: "invalid", Message: err.Error()}
	}
	return told{Event: "recoded", Bytes: recoded}
}

func main() {
	tell := json.NewEncoder(os.Stdout)
	must(tell.Encode(told{Event: "ready"}))
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return
		}
		must(err)
		var o order
		must(json.Unmarshal(line, &o))
		answer := told{}
		if o.Do == "call" {
			answer, err = call(o)
			must(err)
		} else {
			answer = recode(o)
		}
		answer.ID = o.ID
		must(tell.Encode(answer))
	}
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
