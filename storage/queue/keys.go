package queue

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"
)

// asynq keeps a queue under keys that begin with asynq:{name}: so that a cluster has all of them on one node: it is the part
// between braces that chooses the node. What this package adds for a queue has the same part.

// namesKey is asynq's set of queue names.
const namesKey = "asynq:queues"

func pendingKey(queue string) string { return "asynq:{" + queue + "}:pending" }
func activeKey(queue string) string  { return "asynq:{" + queue + "}:active" }
func leaseKey(queue string) string   { return "asynq:{" + queue + "}:lease" }
func taskKey(r message) string       { return "asynq:{" + r.queue + "}:t:" + r.id() }
func epochKey(queue string) string   { return "einvoiced:epoch:{" + queue + "}" }

// Where the message of an id is.
const (
	gone    = "gone"
	waiting = "waiting"
	taken   = "taken" // in a worker's hands, or archived, where none takes it
)

// findScript looks for a task. One that is said to be active but is in no worker's hands has lost its lease entry while it
// ran; asynq cannot remove it any more and its id would be taken for ever, so it goes here.
//
// KEYS: task, active; ARGV: id.
var findScript = redis.NewScript(`
local state = redis.call("HGET", KEYS[1], "state")
if not state then return "gone" end
if state == "archived" then return "taken" end
if state ~= "active" then return "waiting" end
for _, id in ipairs(redis.call("LRANGE", KEYS[2], 0, -1)) do
	if id == ARGV[1] then return "taken" end
end
redis.call("DEL", KEYS[1])
return "gone"`)

// find tells where the message is: gone, waiting or taken.
func (q *Queue) find(ctx context.Context, r message) (string, error) {
	where, err := findScript.Run(ctx, q.redis, []string{taskKey(r), activeKey(r.queue)}, r.id()).Text()
	if err != nil {
		return "", fmt.Errorf("look for the message of %s: %w", r.subject, err)
	}
	return where, nil
}

// leaseScript gives active tasks without a lease entry one: asynq recovers only what has an entry that has run out.
//
// KEYS: active, lease; ARGV: when the entries run out, in seconds of the Unix time.
var leaseScript = redis.NewScript(`
local given = 0
for _, id in ipairs(redis.call("LRANGE", KEYS[1], 0, -1)) do
	if not redis.call("ZSCORE", KEYS[2], id) then
		given = given + redis.call("ZADD", KEYS[2], ARGV[1], id)
	end
end
return given`)
