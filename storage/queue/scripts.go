package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

// A message costs asynq three Lua scripts: enqueue, dequeue, done. The server inside makes a new Lua state for each of them,
// which is nearly all that a message costs there. So these three run in Go, straight on the server's data. They are known by
// their SHA-1; a script that is not in the table (another version of asynq) runs as Lua, slower and just as right.
//
// The waiting tasks of a queue are a list; asynq puts them in at its left end and takes them from the right. Here it is the
// other way round, because putting in at the left copies the server's whole list. Nobody is promised an order.
var scripts = map[string]script{
	"98d28b42650870a743450ffda9791e9e19c6991b": {keys: 2, args: 3, run: (*inside).enqueue},
	"a8153319360adc71cdc370107f8ab9786f204765": {keys: 4, args: 2, run: (*inside).dequeue, takes: true},
	"1241eaa1c73409baaf1fea0c08d203a4911bda15": {keys: 5, args: 3, run: (*inside).done},
}

// script is one that runs in Go.
type script struct {
	keys, args int // how many it is called with
	run        func(in *inside, keys, args []string) (any, error)
	takes      bool // it takes a task from a queue; the answer redis.Nil says that there is none
}

// errNotThere is what asynq's scripts answer for a task that is not where it should be.
var errNotThere = errors.New("NOT FOUND")

// hook runs the scripts of one client of the server inside.
type hook struct {
	passing
	in   *inside
	idle *idle // nil for a client that is no consumer's
}

// ProcessHook runs a known script in Go, and gives everything else to the server. Only other scripts wait for one in Go:
// single commands cannot come in its midst to any harm, and those that open a connection run inside of others.
func (h *hook) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		answer, ok := cmd.(*redis.Cmd)
		if !ok || !strings.HasPrefix(cmd.Name(), "eval") {
			return next(ctx, cmd)
		}
		if script, ok := known(cmd.Args()); ok {
			return h.run(ctx, script, answer)
		}
		h.in.scripts.RLock()
		defer h.in.scripts.RUnlock()
		return next(ctx, cmd)
	}
}

// known gives the script that a command calls.
func known(command []any) (script, bool) {
	if len(command) < 3 || command[0] != "evalsha" {
		return script{}, false
	}
	sha, _ := command[1].(string)
	s, ok := scripts[sha]
	return s, ok && command[2] == s.keys && len(command) == 3+s.keys+s.args
}

// words gives the arguments as the server would see them.
func words(args []any) []string {
	list := make([]string, len(args))
	for i, a := range args {
		switch a := a.(type) {
		case string:
			list[i] = a
		case []byte:
			list[i] = string(a)
		default:
			list[i] = fmt.Sprint(a)
		}
	}
	return list
}

// run runs the script and answers the command.
func (h *hook) run(ctx context.Context, s script, answer *redis.Cmd) error {
	if err := ctx.Err(); err != nil {
		answer.SetErr(err)
		return err
	}
	operands, heard := words(answer.Args()[3:]), h.in.arrivals.heard()
	h.in.scripts.Lock()
	value, err := s.run(h.in, operands[:s.keys], operands[s.keys:])
	h.in.scripts.Unlock()
	if h.idle != nil && s.takes {
		h.idle.looked(err == nil, heard)
	}
	if err != nil {
		answer.SetErr(err)
		return err
	}
	answer.SetVal(value)
	return nil
}

// enqueue puts a task into a queue unless one of its id is there. It answers whether it did.
func (in *inside) enqueue(keys, args []string) (any, error) {
	task, pending := keys[0], keys[1]
	if in.server.Exists(task) {
		return int64(0), nil
	}
	in.server.HSet(task, "msg", args[0], "state", "pending", "pending_since", args[2])
	if _, err := in.server.Push(pending, args[1]); err != nil {
		return nil, err
	}
	in.arrivals.note()
	return int64(1), nil
}

// dequeue moves a waiting task to the active ones, with a lease, and answers with its message.
func (in *inside) dequeue(keys, args []string) (any, error) {
	pending, paused, active, lease := keys[0], keys[1], keys[2], keys[3]
	until, err := strconv.ParseFloat(args[0], 64)
	if err != nil || in.server.Exists(paused) {
		return nil, errors.Join(redis.Nil, err)
	}
	id, err := in.server.Lpop(pending)
	if errors.Is(err, miniredis.ErrKeyNotFound) {
		return nil, redis.Nil
	}
	if err != nil {
		return nil, err
	}
	task := args[1] + id
	_, pushErr := in.server.Push(active, id)
	_, leaseErr := in.server.ZAdd(lease, until, id)
	in.server.HSet(task, "state", "active")
	in.server.HDel(task, "pending_since")
	message := in.server.HGet(task, "msg")
	if message == "" {
		return nil, redis.Nil
	}
	return message, errors.Join(pushErr, leaseErr)
}

// done forgets an active task and counts it.
func (in *inside) done(keys, args []string) (any, error) {
	active, lease, task, today, total := keys[0], keys[1], keys[2], keys[3], keys[4]
	id := args[0]
	if !in.unlist(active, id) {
		return nil, errNotThere
	}
	if found, err := in.server.ZRem(lease, id); err != nil || !found {
		return nil, errNotThere
	}
	if !in.server.Del(task) {
		return nil, errNotThere
	}
	n, err := in.server.Incr(today, 1)
	if until, parseErr := strconv.ParseInt(args[1], 10, 64); n == 1 && parseErr == nil {
		in.server.SetTTL(today, time.Until(time.Unix(until, 0)))
	}
	_, totalErr := in.server.Incr(total, 1)
	return "OK", errors.Join(err, totalErr)
}

// unlist removes the id from a list, which is as short as the jobs that run are few.
func (in *inside) unlist(list, id string) bool {
	ids, err := in.server.List(list)
	if err != nil {
		return false
	}
	rest := slices.DeleteFunc(slices.Clone(ids), func(s string) bool { return s == id })
	if len(rest) == len(ids) {
		return false
	}
	in.server.Del(list)
	if len(rest) > 0 {
		_, err = in.server.Push(list, rest...)
	}
	return err == nil
}
