package queue

import (
	"reflect"
	"unsafe"

	"github.com/alicebob/miniredis/v2"
)

// The server inside counts the changes of every key that there ever was, for those who WATCH some. A task has a key of its own, so that the
// counts of tasks that are long done would grow without an end. Nobody here watches keys, and the server has no way to be told so: its counts
// are taken away from outside.

// keptVersions is how many counts a database of the server may have before they are taken away.
const keptVersions = 2_000

// forgetVersions takes the counts away where there are many.
func forgetVersions(server *miniredis.Miniredis) {
	server.Lock()
	defer server.Unlock()
	for _, counts := range versionsOf(server) {
		if len(*counts) > keptVersions {
			*counts = map[string]uint{}
		}
	}
}

// versionsOf gives the counts of each database; none where this version of the server keeps them elsewhere. The caller holds the server.
func versionsOf(server *miniredis.Miniredis) (list []*map[string]uint) {
	databases := reflect.ValueOf(server).Elem().FieldByName("dbs")
	if databases.Kind() != reflect.Map {
		return nil
	}
	for _, database := range databases.Seq2() {
		counts := database.Elem().FieldByName("keyVersion")
		if counts.IsValid() && counts.Type() == reflect.TypeFor[map[string]uint]() {
			list = append(list, (*map[string]uint)(unsafe.Pointer(counts.UnsafeAddr())))
		}
	}
	return list
}
