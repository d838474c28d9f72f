/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RCU, as short as it can be without hiding a fault.
 *
 * An object that is given to kfree_rcu() is free as soon as all that were in RCU at
 * that moment have left. The kernel may take longer; whoever touches an object here
 * when it is too late may do so there. So the end of a grace period needs no process
 * and no state but the readers that it waits for.
 *
 * OBJECTS says how many there are. A reader is known by _pid, at most 7. Not with
 * it: nesting, and who frees at once when memory runs out.
 */
byte readers;			/* a bit for each process that is in RCU */
byte given[OBJECTS];		/* 1: to kfree_rcu() or kfree() */
byte waits_for[OBJECTS];	/* the readers of then that are still in RCU */
byte rcu_i;

#define ME		(1 << _pid)
#define FREED(o)	(given[o] && waits_for[o] == 0)

inline rcu_read_lock()
{
	readers = readers | ME
}

/* In an atomic or d_step. */
inline rcu_read_unlock()
{
	readers = readers & ~ME;
	rcu_i = 0;
	do
	:: rcu_i < OBJECTS -> waits_for[rcu_i] = waits_for[rcu_i] & ~ME; rcu_i++
	:: else -> break
	od;
	rcu_i = 0
}

inline kfree_rcu(o)
{
	given[o] = 1;
	waits_for[o] = readers
}

inline kfree(o)
{
	given[o] = 1;
	waits_for[o] = 0
}

/* Whoever reads or writes an object says so. */
inline touch(o)
{
	assert(!FREED(o))
}
