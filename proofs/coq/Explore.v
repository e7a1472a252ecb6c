(** Computing the views and words of a [closed] claim. Nothing is proved here: what comes out is
    tested afterwards (Closed.v), and a mistake could only make a true claim fail. *)
From Coq Require Import ZArith List Bool.
From Coq Require Import FSets.FMapPositive.
From TwoL Require Import Language Run Closed.
Import ListNotations.
Open Scope Z_scope.

(** A view that waits for words: its side in direction [wait_side] is to be replaced by each word
    that begins with [wait_near]. *)
Record waiting := Waiting { wait_side : Z; wait_near : list Z; wait_view : list Z -> view }.

Record work := Work { found : seen; waits : table waiting; todo : list view }.

Definition add_view (v : view) (w : work) : work :=
  let s := found w in
  if has_view s v then w
  else Work (Seen (insert (view_number v) v (views s)) (left_words s) (right_words s)) (waits w)
    (v :: todo w).

Definition wait_number (d at_ : Z) (near : list Z) : positive := number (d :: at_ :: near).

Definition add_word (r : resolution) (d : Z) (new : word) (w : work) : work :=
  let s := found w in
  if has_word r d s new then w
  else
    let near := nearest r (snd new) in
    let k := word_number (fst new) near in
    let s' := if 0 <? d then Seen (views s) (left_words s) (insert k new (right_words s))
      else Seen (views s) (insert k new (left_words s)) (right_words s) in
    fold_left (fun w p => add_view (wait_view p (snd new)) w)
      (entries (wait_number d (fst new) near) (waits w)) (Work s' (waits w) (todo w)).

Definition after (g : grid) (r : resolution) (v : view) (w : work) : work :=
  match next g (seen_at v) (here v =? 0) with
  | None => w
  | Some (p, Nothing) => add_view (with_value v p (here v)) w
  | Some (p, Add n) =>
      fold_left (fun w c => add_view (with_value v p c) w) (classes_after r (here v) n) w
  | Some (p, Shift d) =>
      let w := if (reach r =? 0)%nat then w else add_word r (- d) (left_behind r d v) w in
      let w := match side d v with
               | [] => w
               | c :: near =>
                   let at_ := (position v + 2 * d) mod period r in
                   let build := fun far_ => view_towards d p c far_
                     (firstn (reach r) (here v :: side (- d) v)) ((position v + d) mod period r) in
                   Work (found w) (insert (wait_number d at_ near) (Waiting d near build) (waits w))
                     (todo w)
               end in
      fold_left (fun w v => add_view v w) (moved r (found w) d p v) w
  end.

(** At most 2 ^ [depth] views. *)
Fixpoint explore (depth : nat) (g : grid) (r : resolution) (w : work) : work :=
  match todo w with
  | [] => w
  | v :: rest =>
      match depth with
      | O => after g r v (Work (found w) (waits w) rest)
      | S depth => explore depth g r (explore depth g r w)
      end
  end.

(** The words of side [d] that begin at cell [j] and, [n] times, at the next one outwards. *)
Fixpoint words_from (n : nat) (r : resolution) (t : Z -> Z) (d j : Z) (w : work) : work :=
  match n with
  | O => w
  | S n => words_from n r t d (j + d) (add_word r d (word_at r t j d) w)
  end.

(** All that may be seen from state [s] on, whose tape is zero outside of [low] to [high]. *)
Definition seen_from (g : grid) (r : resolution) (s : state) (low high : Z) : seen :=
  let empty := Work (Seen (PositiveMap.empty _) (PositiveMap.empty _) (PositiveMap.empty _))
    (PositiveMap.empty _) [] in
  let x := at_cell s in
  let count := fun edge => (Z.to_nat (Z.max 0 (edge - 1)) + Z.to_nat (period r))%nat in
  let w := if (reach r =? 0)%nat then empty
    else words_from (count (high - x)) r (get (cells s)) 1 (x + 2)
      (words_from (count (x - low)) r (get (cells s)) (-1) (x - 2) empty) in
  found (explore 19 g r (add_view (view_of r (configuration_of s)) w)).
