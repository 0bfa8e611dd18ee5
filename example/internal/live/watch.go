package live

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/plexsphere/function-cloud-tags/example/internal/process"
)

// An Invariant returns an error for a write that must not be. before is nil for a new object, and after is nil for a
// deleted one. It is called for one write at a time, and for the writes of an object in their order.
type Invariant func(before, after *unstructured.Unstructured) error

// A Watcher sees every write of objects of some kinds: every version that was ever stored. It
// asks etcd, since an API server that was started again doesn't know earlier writes. It tells a missed
// write by counting: etcd counts the versions of each object.
type Watcher struct {
	etcd  etcd
	check Invariant

	stop     context.CancelFunc
	watching sync.WaitGroup

	mu         sync.Mutex
	histories  map[string]*History // By key in etcd.
	prefixes   []string
	objections []error
	ended      bool
}

// A History has all writes of an object.
type History struct {
	// Object is what is stored, or nothing if it is gone.
	Object *unstructured.Unstructured

	// Writes that were seen.
	Writes []Write

	// revision of the last write, and how many there were since the object was made.
	revision, versions int64
}

// A Write is a version of an object that was stored.
type Write struct {
	// At is when it was seen.
	At time.Time

	// Managers of fields that have written, as "manager" or "manager/subresource". There are
	// none if what they have is as it was, or if the object is gone.
	Managers []string
}

// Watch every write of objects of custom kinds from now on. The objects have the kinds, and
// the namespaces if there are any. Watching ends with the context, too.
func (c *Cluster) Watch(ctx context.Context, check Invariant, kinds ...*unstructured.Unstructured) (*Watcher, error) {
	prefixes := make([]string, len(kinds))

	for i, k := range kinds {
		resource, _ := meta.UnsafeGuessKindToResource(k.GroupVersionKind())
		prefixes[i] = fmt.Sprintf("/registry/%s/%s/", resource.Group, resource.Resource)

		if k.GetNamespace() != "" {
			prefixes[i] += k.GetNamespace() + "/"
		}
	}

	w := &Watcher{etcd: etcdAt(c.etcd()), check: check, prefixes: prefixes, histories: make(map[string]*History)}

	if err := w.start(ctx); err != nil {
		return nil, err
	}

	return w, nil
}

// start watching.
func (w *Watcher) start(ctx context.Context) error {
	ctx, w.stop = context.WithCancel(ctx)

	for _, prefix := range w.prefixes {
		if err := w.watch(ctx, prefix); err != nil {
			w.Stop()
			return fmt.Errorf("cannot watch %s: %w", prefix, err)
		}
	}

	return nil
}

// Stop watching.
func (w *Watcher) Stop() {
	w.stop()
	w.watching.Wait()
}

// watch watches all keys of etcd with a prefix.
func (w *Watcher) watch(ctx context.Context, prefix string) error {
	keys := withPrefix(prefix)

	list, revision, err := w.etcd.list(ctx, keys)
	if err != nil {
		return err
	}

	for _, kv := range list {
		o, err := stored(kv)
		if err != nil {
			return err
		}

		w.mu.Lock()
		*w.history(string(kv.Key)) = History{Object: o, revision: kv.ModRevision, versions: kv.Version}
		w.mu.Unlock()
	}

	keys.StartRevision = revision + 1
	w.watching.Go(func() { w.follow(ctx, keys) })

	return nil
}

// follow what is written, also when the connection is lost.
func (w *Watcher) follow(ctx context.Context, keys keyRange) {
	for {
		err := w.etcd.watch(ctx, keys, func(e etcdEvent) {
			w.see(e)
			keys.StartRevision = e.KV.ModRevision + 1
		})

		if errors.Is(err, errCompacted) {
			w.end(fmt.Errorf("not all writes of %s were seen: %w", keys.Key, err))
			return
		}

		select {
		case <-ctx.Done():
			return
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// end says why not all can be seen any more.
func (w *Watcher) end(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()

	w.objections, w.ended = append(w.objections, err), true
}

// see a write.
func (w *Watcher) see(e etcdEvent) {
	w.mu.Lock()
	defer w.mu.Unlock()

	key := string(e.KV.Key)

	h := w.history(key)
	before, missed := h.Object, e.KV.Version-h.versions-1
	*h = History{Writes: h.Writes, revision: e.KV.ModRevision, versions: e.KV.Version}

	var err error

	if e.Type != deleted {
		if missed != 0 {
			err = fmt.Errorf("%d writes were missed", missed)
		}

		var unreadable error

		h.Object, unreadable = stored(e.KV)
		err = errors.Join(err, unreadable)
	}

	h.Writes = append(h.Writes, Write{At: time.Now(), Managers: managers(before, h.Object)})

	if err == nil {
		err = w.check(before, h.Object)
	}

	if err != nil {
		w.objections = append(w.objections, fmt.Errorf("write %d of %s, which is revision %d: %w", len(h.Writes), key, h.revision, err))
	}
}

// history of what is at a key.
func (w *Watcher) history(key string) *History {
	if w.histories[key] == nil {
		w.histories[key] = &History{}
	}

	return w.histories[key]
}

// stored object.
func stored(kv keyValue) (*unstructured.Unstructured, error) {
	o := &unstructured.Unstructured{}
	if err := utiljson.Unmarshal(kv.Value, &o.Object); err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", kv.Key, err)
	}

	return o, nil
}

// managers whose fields differ, or whose time of writing does.
func managers(before, after *unstructured.Unstructured) []string {
	if after == nil {
		return nil
	}

	var was []metav1.ManagedFieldsEntry
	if before != nil {
		was = before.GetManagedFields()
	}

	var out []string

	for _, m := range after.GetManagedFields() {
		if slices.ContainsFunc(was, func(e metav1.ManagedFieldsEntry) bool { return reflect.DeepEqual(e, m) }) {
			continue
		}

		// The name of an XR's manager of what it is composed of ends with a hash.
		name, _, _ := strings.Cut(m.Manager, "/composed/")
		if name != m.Manager {
			name += "/composed"
		}

		if m.Subresource != "" {
			name += "/" + m.Subresource
		}

		out = append(out, name)
	}

	return out
}

// Histories of all objects that there are or were, by their keys in etcd.
func (w *Watcher) Histories() map[string]History {
	w.mu.Lock()
	defer w.mu.Unlock()

	out := make(map[string]History, len(w.histories))
	for key, h := range w.histories {
		out[key] = *h
	}

	return out
}

// Objects that there are, as they were last seen.
func (w *Watcher) Objects(context.Context) ([]*unstructured.Unstructured, error) {
	w.mu.Lock()
	defer w.mu.Unlock()

	var out []*unstructured.Unstructured

	for _, h := range w.histories {
		if h.Object != nil {
			out = append(out, h.Object)
		}
	}

	return out, nil
}

// Err waits until the watcher has seen all stored versions. It returns the invariant's errors, and an error if the
// watcher missed writes.
func (w *Watcher) Err(ctx context.Context) error {
	err := process.Eventually(ctx, func(ctx context.Context) error {
		for _, prefix := range w.prefixes {
			if err := w.unseen(ctx, prefix); err != nil {
				return err
			}
		}

		return nil
	})

	w.mu.Lock()
	defer w.mu.Unlock()

	return errors.Join(few(w.objections), err)
}

// unseen returns an error if the watcher has not yet seen a stored version.
func (w *Watcher) unseen(ctx context.Context, prefix string) error {
	keys := withPrefix(prefix)
	keys.KeysOnly = true

	list, revision, err := w.etcd.list(ctx, keys)
	if err != nil {
		return err
	}

	w.mu.Lock()
	defer w.mu.Unlock()

	if w.ended {
		return process.ErrEnded
	}

	there := make(map[string]bool, len(list))

	for _, kv := range list {
		there[string(kv.Key)] = true

		if h := w.histories[string(kv.Key)]; h == nil || h.revision < kv.ModRevision {
			return fmt.Errorf("revision %d of %s was not seen yet", kv.ModRevision, kv.Key)
		}
	}

	for key, h := range w.histories {
		if strings.HasPrefix(key, prefix) && h.Object != nil && !there[key] && h.revision <= revision {
			return fmt.Errorf("that %s is gone was not seen yet", key)
		}
	}

	return nil
}
