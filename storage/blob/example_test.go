package blob_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/einvoiced/einvoiced/storage/blob"
)

// What a job takes and makes lies under keys of its own, and goes with it. A bucket of S3 does the same as this folder.
func Example() {
	path, err := os.MkdirTemp("", "einvoiced-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(path)
	folder, err := blob.OpenFolder(path)
	if err != nil {
		log.Fatal(err)
	}
	defer folder.Close()
	ctx := context.Background()
	var store blob.Store = folder
	input := blob.Key("acc_1", "job_1", 0, "input")
	info, err := store.Put(ctx, input, strings.NewReader("<Invoice/>"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(info.Size, info.SHA256[:8])
	reader, err := store.Get(ctx, input)
	if err != nil {
		log.Fatal(err)
	}
	document, err := io.ReadAll(reader)
	fmt.Println(string(document), err, reader.Close())

	fmt.Println(store.DeleteAll(ctx, "acc_1/job_1"))
	_, err = store.Get(ctx, input)
	fmt.Println(errors.Is(err, blob.ErrNotFound))
	// Output:
	// 10 b8dbbfb2
	// <Invoice/> <nil> <nil>
	// <nil>
	// true
}
