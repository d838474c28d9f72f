/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Life of a shrinker, as the comment of this name in mm/vmscan.c has it: patches 4
 * and 5 of the series.
 *
 * Three owners have a shrinker each. A is prealloced, and given back unregistered
 * or registered and unregistered; B is registered from the beginning, and
 * unregistered; C is registered while all this goes on, and stays. One walk goes
 * over the list, and one over the list or the ids, in any order of all their steps.
 * When unregister_shrinker() has returned, the owner is freed and its module's code
 * is gone.
 *
 * What holds, in each state:
 *   - a callback runs only between registration and the return of
 *     unregister_shrinker(), outside of RCU;
 *   - no handle is touched after a grace period, and no completion after its
 *     waiter has left;
 *   - of a callback that unregister_shrinker() waits for, one batch at most begins
 *     after the pins are refused;
 *   - a callback of B may last until A is unregistered: who waits for a foreign
 *     callback does not get on, and that is found as a deadlock;
 *   - a walk calls all that was registered when it began and still is when it
 *     ends, and nothing that was not on the list when it began;
 *   - all come to their end.
 *
 * A guard is taken out with
 *   -DPIN_OF_DEAD              a negative count refuses no pin
 *   -DPREALLOCED_CALLABLE      the count of a handle begins at 0, not with the bias
 *   -DLIST_WALK_WITHOUT_PIN    the walk of the list looks at the count only
 *   -DID_WALK_WITHOUT_PIN      the walk of the ids looks at the count only
 *   -DLOOKUP_OUTSIDE_RCU       a handle is looked up by id, RCU left, then pinned
 *   -DUNPIN_OUTSIDE_RCU        the walk of the list enters RCU after it unpins
 *   -DCALLBACK_UNDER_RCU       the walk of the list does not leave RCU
 *   -DWAKE_UP_AT_FIRST_UNPIN   any unpin after the refusal wakes the waiter
 *   -DNO_WAKE_UP               no unpin does
 *   -DNO_WAIT                  unregister_shrinker() does not wait
 *   -DWAIT_FOR_ALL_WALKS       it waits for all callbacks
 *   -DUNLINK_BEFORE_WAIT       the handle leaves the list before the wait
 *   -DHANDLE_FREED_AT_ONCE     and is freed without a grace period
 *   -DID_KEPT                  the id is not free on return
 *   -DWHOLE_SCAN               a scan goes on when the count is negative
 *   -DNOKMEM_PIN_KEPT          no unpin where kernel memory is not charged
 *   -DINSERT_AT_HEAD           young handles are at the head of the list
 *   -DWALK_WITHOUT_END         a walk goes on to what is younger
 *   -DWALK_GIVES_UP            a walk ends when something was registered
 *
 * Left out: weak memory. Each step here is one access, in one order for all. In
 * the kernel the increment, the decrement and the addition of the bias return a
 * value, so each is fully ordered; the 0 of the registration is stored with
 * release and read by the increment; complete() and wait_for_completion() are
 * release and acquire. patches/litmus has the two shapes. Left out, too: who
 * reuses an id, and debugfs, which pins the same way, but has its handle kept by the
 * open file and not by RCU.
 */
#define OBJECTS	3
#include "rcu.h"

#define A	0
#define B	1
#define C	2
#define HEAD	3
#define END	4
#define BIAS	-8		/* SHRINKER_UNREG_BIAS */
#define NAME(h)	('A' + h)
#define HAS(set, h)	((set >> h) & 1)

short users[3] = BIAS;		/* of the handle */
byte seq[3];
byte next[4] = END;		/* the list; [HEAD] is its head */
byte seqs;			/* shrinker_seq */
byte ids;			/* the handles that can be found by id */
byte completed;			/* the completions, on the waiters' stacks */
byte running;			/* callbacks, for WAIT_FOR_ALL_WALKS only */

/* For the properties only: sets of shrinkers. */
byte waiting;			/* unregister_shrinker() is in it */
byte registered;		/* and not yet refused */
byte left;			/* the owner has freed it */

/* The writes that a walk may see; the rest is under shrinker_lock. */
inline list_add(h)
{
	d_step {
		seqs++;
		seq[h] = seqs;
#ifdef INSERT_AT_HEAD
		next[h] = next[HEAD];
		next[HEAD] = h;
#else
		i = HEAD;
		do
		:: next[i] == END -> break
		:: else -> i = next[i]
		od;
		next[h] = END;
		next[i] = h;
		i = 0;
#endif
		printf("%d|puts %c on the list\n", _pid, NAME(h))
	}
}

inline list_del(h)
{
	d_step {
		i = HEAD;
		do
		:: next[i] == h -> break
		:: else -> i = next[i]
		od;
		next[i] = next[h];
		i = 0;
		printf("%d|takes %c off the list\n", _pid, NAME(h))
	}
}

inline callable(h)
{
	assert(!HAS(left, h) && seq[h] != 0 && (HAS(registered, h) || users[h] < 0));
	assert((readers & ME) == 0)
}

/*
 * do_shrink_slab(): count, then two batches. It may sleep at each step. For
 * fewer states only the first walk has batches, of A, and waits, in B.
 */
inline callback(h)
{
#ifdef WAIT_FOR_ALL_WALKS
	running++;
#endif
	atomic {
		printf("%d|callback of %c begins\n", _pid, NAME(h));
		callable(h)
	}
	if
	:: true
	:: watched && h == B -> HAS(left, A)
	fi;
	batch = 0;
	do
	:: batch == 2 || !watched || h != A -> break
	:: batch < 2 && watched && h == A ->
#ifndef WHOLE_SCAN
		if
		:: atomic { users[h] < 0 -> break }
		:: users[h] >= 0
		fi;
#endif
		d_step {
			printf("%d|batch of %c\n", _pid, NAME(h));
			callable(h);
			batch++;
			if
			:: users[h] < 0 -> late++; assert(late <= 1)
			:: else
			fi
		}
	od;
	atomic {
		batch = 0;
		late = 0;
		printf("%d|callback of %c ends\n", _pid, NAME(h));
		callable(h)
	}
#ifdef WAIT_FOR_ALL_WALKS
	running--;
#endif
}

inline pin(h)
{
	d_step {
		touch(h);
#ifndef PIN_OF_DEAD
		if
		:: users[h] < 0 -> pinned = 0
		:: else -> users[h] = users[h] + 1; pinned = 1;
			printf("%d|pins %c\n", _pid, NAME(h))
		fi
#else
		users[h] = users[h] + 1;
		pinned = 1;
		printf("%d|pins %c\n", _pid, NAME(h))
#endif
	}
}

inline only_look(h)
{
	d_step {
		touch(h);
		pinned = (users[h] >= 0);
		printf("%d|finds %c registered: %d\n", _pid, NAME(h), pinned)
	}
}

inline unpin(h)
{
	d_step {
		touch(h);
		users[h] = users[h] - 1;
#ifdef WAKE_UP_AT_FIRST_UNPIN
		pinned = (users[h] < 0);
#elif defined(NO_WAKE_UP)
		pinned = 0;
#else
		pinned = (users[h] == BIAS);
#endif
		printf("%d|unpins %c\n", _pid, NAME(h))
	}
	if
	:: pinned ->
		d_step {
			printf("%d|wakes who waits for %c\n", _pid, NAME(h));
			touch(h);
			assert(HAS(waiting, h));
			completed = completed | (1 << h);
			pinned = 0
		}
	:: else
	fi
}

/* shrink_slab() */
proctype list_walk(bool watched)
{
	byte h, last = 255, batch, late, called, must;
	bool pinned;

	d_step {
		if
		:: watched -> last = seqs; must = registered
		:: else		/* goes on to all; fewer states */
		fi;
		printf("%d|a walk begins\n", _pid)
	}
	d_step { rcu_read_lock(); h = next[HEAD] }
	do
	:: h == END -> break
	:: else ->
#ifndef WALK_WITHOUT_END
		d_step { touch(h); pinned = (seq[h] > last) }
		if
		:: pinned -> pinned = 0; break
		:: else
		fi;
#endif
#ifdef LIST_WALK_WITHOUT_PIN
		only_look(h);
#else
		pin(h);
#endif
		if
		:: pinned ->
			d_step {
				pinned = 0;
				if
				:: watched -> assert(seq[h] <= last); called = called | (1 << h)
				:: else
				fi;
#ifndef CALLBACK_UNDER_RCU
				rcu_read_unlock()
#endif
			}
			callback(h);
#ifdef UNPIN_OUTSIDE_RCU
			unpin(h);
			rcu_read_lock();
#else
			rcu_read_lock();
#ifndef LIST_WALK_WITHOUT_PIN
			unpin(h);
#endif
#endif
#ifdef WALK_GIVES_UP
			if
			:: seqs != last -> break
			:: else
			fi
#endif
		:: else
		fi;
		d_step {
			touch(h);
			h = next[h];
			if
			:: h == END -> printf("%d|goes on to the end\n", _pid)
			:: else -> printf("%d|goes on to %c\n", _pid, NAME(h))
			fi
		}
	od;
	atomic {
		rcu_read_unlock();
		printf("%d|the walk ends\n", _pid);
		assert((must & registered & ~called) == 0);
		h = 0; last = 0; called = 0; must = 0
	}
}

/* shrink_slab_memcg(), without the map */
proctype id_walk(bool watched)
{
	byte h, batch, late;
	bool pinned;

	rcu_read_lock();
	do
	:: h == 2 -> break	/* the id of C would show nothing new */
	:: h < 2 && !HAS(ids, h) -> h++
	:: h < 2 && HAS(ids, h) ->
		printf("%d|finds %c by its id\n", _pid, NAME(h));
#ifdef LOOKUP_OUTSIDE_RCU
		d_step { rcu_read_unlock() }
		rcu_read_lock();
#endif
#ifdef ID_WALK_WITHOUT_PIN
		only_look(h);
#else
		pin(h);
#endif
		if
		:: pinned ->
			pinned = 0;
			if
			:: true ->	/* kernel memory is not charged */
#if defined(NOKMEM_PIN_KEPT) || defined(ID_WALK_WITHOUT_PIN)
				skip
#else
				unpin(h)
#endif
			:: true ->
				d_step { rcu_read_unlock() }
				callback(h);
				rcu_read_lock();
#ifndef ID_WALK_WITHOUT_PIN
				unpin(h)
#endif
			fi
		:: else
		fi;
		h++
	od;
	atomic { rcu_read_unlock(); h = 0 }
}

inline prealloc(h)
{
	d_step {
#ifdef PREALLOCED_CALLABLE
		users[h] = 0;
#endif
		ids = ids | (1 << h);
		printf("%d|preallocs %c\n", _pid, NAME(h))
	}
}

inline register(h)
{
	list_add(h);
	d_step {
		users[h] = 0;
		registered = registered | (1 << h);
		printf("%d|registers %c\n", _pid, NAME(h))
	}
}

/* And what its owner does at once: free it. */
inline release(h)
{
	d_step {
#ifndef ID_KEPT
		ids = ids & ~(1 << h);
#endif
#ifdef HANDLE_FREED_AT_ONCE
		kfree(h);
#else
		kfree_rcu(h);
#endif
		printf("%d|frees the id and the handle of %c\n", _pid, NAME(h))
	}
	d_step {
		printf("%d|returns; %c is freed\n", _pid, NAME(h));
		waiting = waiting & ~(1 << h);
		completed = completed & ~(1 << h);
		left = left | (1 << h);
		assert(!HAS(ids, h))
	}
}

inline unregister(h)
{
	d_step {
		printf("%d|unregister_shrinker(%c): refuses pins\n", _pid, NAME(h));
		waiting = waiting | (1 << h);
		registered = registered & ~(1 << h);
		users[h] = users[h] + BIAS;
		wait = (users[h] != BIAS)
	}
#ifdef UNLINK_BEFORE_WAIT
	list_del(h);
#endif
#ifndef NO_WAIT
	if
	:: wait -> HAS(completed, h); printf("%d|has waited\n", _pid)
	:: else
	fi;
#endif
	wait = 0;
#ifdef WAIT_FOR_ALL_WALKS
	running == 0;
#endif
#ifndef UNLINK_BEFORE_WAIT
	list_del(h);
#endif
	release(h)
}

proctype owner_a()
{
	byte i;
	bool wait;

	prealloc(A);
	if
	:: true -> release(A)
	:: true -> register(A); unregister(A)
	fi
}

proctype owner_b()
{
	byte i;
	bool wait;

	unregister(B)
}

proctype owner_c()
{
	byte i;

	atomic { register(C) }
}

init {
	byte i;

	atomic {
		prealloc(B);
		register(B);
		run list_walk(true);
		if
		:: run list_walk(false)
		:: run id_walk(false)
		fi;
		run owner_a();
		run owner_b();
		run owner_c()
	}
}
