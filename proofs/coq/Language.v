(** The language 2L, and what it means that a program never halts.

    This follows docs/bb-6x6.md ("The language"). Whoever wants to know what the theorem in
    Certificate.v says needs to read this file and the decoding of programs there, no proofs. *)
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
Open Scope Z_scope.

(** [Open] is a cell that has not been chosen: a program that meets one is not shown to run on. *)
Inductive cell := Noop | Data | Turn | Open.
Inductive direction := Up | Right | Down | Left.

(** The rows from the bottom to the top, each from left to right. *)
Definition grid := list (list cell).

(** The cell in column [x] and row [y]; [None] outside the grid. *)
Definition cell_at (g : grid) (x y : Z) : option cell :=
  if (x <? 0) || (y <? 0) then None
  else match nth_error g (Z.to_nat y) with
       | Some row => nth_error row (Z.to_nat x)
       | None => None
       end.

(** Where the program pointer is and which way it faces. *)
Record place := Place { column : Z; row : Z; facing : direction }.

Definition clockwise (d : direction) : direction :=
  match d with Up => Right | Right => Down | Down => Left | Left => Up end.
Definition counter_clockwise (d : direction) : direction :=
  match d with Up => Left | Left => Down | Down => Right | Right => Up end.

(** The place one cell ahead, facing the same way. *)
Definition ahead (p : place) : place :=
  match facing p with
  | Up => Place (column p) (row p + 1) Up
  | Right => Place (column p + 1) (row p) Right
  | Down => Place (column p) (row p - 1) Down
  | Left => Place (column p - 1) (row p) Left
  end.

Definition cell_ahead (g : grid) (p : place) : option cell :=
  cell_at g (column (ahead p)) (row (ahead p)).

(** Turns while a turn cell is ahead, counter-clockwise where the value is zero. Three turns are
    always enough, because the cell that the pointer came from is no turn cell. *)
Fixpoint turned (turns : nat) (g : grid) (p : place) (zero : bool) : place :=
  match turns, cell_ahead g p with
  | S turns, Some Turn =>
      let d := if zero then counter_clockwise (facing p) else clockwise (facing p) in
      turned turns g (Place (column p) (row p) d) zero
  | _, _ => p
  end.

(** What a move does to the tape: nothing, add to the value, or move the data pointer. *)
Inductive action := Nothing | Add (n : Z) | Shift (n : Z).

Definition action_of (d : direction) : action :=
  match d with Up => Add 1 | Down => Add (-1) | Right => Shift 1 | Left => Shift (-1) end.

(** The next move of a pointer at [p], given whether the value is zero; [None] if it leaves the
    grid or meets an open cell. *)
Definition next (g : grid) (p : place) (zero : bool) : option (place * action) :=
  let q := ahead (turned 3 g p zero) in
  match cell_at g (column q) (row q) with
  | Some Noop => Some (q, Nothing)
  | Some Data => Some (q, action_of (facing q))
  | _ => None
  end.

Record configuration := Configuration { pointer : place; dp : Z; tape : Z -> Z }.

Definition start : configuration := Configuration (Place 0 (-1) Up) 0 (fun _ => 0).

Definition step (g : grid) (c : configuration) : option configuration :=
  match next g (pointer c) (tape c (dp c) =? 0) with
  | None => None
  | Some (p, Nothing) => Some (Configuration p (dp c) (tape c))
  | Some (p, Add n) =>
      Some (Configuration p (dp c) (fun j => if j =? dp c then tape c j + n else tape c j))
  | Some (p, Shift n) => Some (Configuration p (dp c + n) (tape c))
  end.

Fixpoint steps (n : nat) (g : grid) (c : configuration) : option configuration :=
  match n with
  | O => Some c
  | S n => match step g c with Some c' => steps n g c' | None => None end
  end.

(** It takes n steps for every n. *)
Definition runs_for_ever (g : grid) (c : configuration) : Prop :=
  forall n, steps n g c <> None.

Definition never_halts (g : grid) : Prop := runs_for_ever g start.

(** ** How to show it *)

(** What holds of a configuration, and of the next one wherever it holds, holds for ever. *)
Lemma invariant_runs : forall g (holds : configuration -> Prop),
  (forall c, holds c -> exists c', step g c = Some c' /\ holds c') ->
  forall c, holds c -> runs_for_ever g c.
Proof.
  intros g holds next_holds c here n. revert c here.
  induction n as [|n IH]; simpl; intros c here; [discriminate|].
  destruct (next_holds c here) as (c' & -> & there). auto.
Qed.

Lemma steps_then_runs : forall g n c c',
  steps n g c = Some c' -> runs_for_ever g c' -> runs_for_ever g c.
Proof.
  intros g n. induction n as [|n IH]; simpl; intros c c' reach ever.
  - injection reach as ->. exact ever.
  - destruct (step g c) as [b|] eqn:first; [|discriminate].
    intros [|m]; simpl; [discriminate|]. rewrite first. eapply IH; eassumption.
Qed.

(** ** Open cells *)

(** [h] is [g] with some of its open cells chosen. *)
Definition fills (g h : grid) : Prop :=
  forall x y, cell_at g x y <> Some Open -> cell_at h x y = cell_at g x y.

Lemma turned_fills : forall g h zero, fills g h -> forall turns p,
  cell_ahead g (turned turns g p zero) <> Some Open -> turned turns h p zero = turned turns g p zero.
Proof.
  intros g h zero filled turns. induction turns as [|turns IH]; simpl; intros p chosen; [reflexivity|].
  assert (same : cell_ahead g p <> Some Open -> cell_ahead h p = cell_ahead g p)
    by (intros; apply filled; assumption).
  destruct (cell_ahead g p) as [[]|] eqn:what;
    try (rewrite same by congruence; reflexivity).
  rewrite same by congruence. auto.
Qed.

(** A proof for a program with open cells holds for each way to fill them. *)
Theorem fills_never_halts : forall g h, fills g h -> never_halts g -> never_halts h.
Proof.
  intros g h filled ever. unfold never_halts.
  apply invariant_runs with (holds := runs_for_ever g); [|exact ever].
  intros c here. specialize (here 1%nat) as once. simpl in once.
  destruct (step g c) as [c'|] eqn:moved; [|congruence].
  exists c'. split.
  - rewrite <- moved. unfold step.
    enough (E : next h (pointer c) (tape c (dp c) =? 0) = next g (pointer c) (tape c (dp c) =? 0))
      by (rewrite E; reflexivity).
    unfold step in moved. unfold next in *.
    set (zero := tape c (dp c) =? 0) in *.
    assert (chosen : cell_ahead g (turned 3 g (pointer c) zero) <> Some Open).
    { unfold cell_ahead. intros opened. rewrite opened in moved. discriminate. }
    rewrite (turned_fills g h zero filled) by exact chosen.
    rewrite filled by exact chosen. reflexivity.
  - intros n. specialize (here (S n)). simpl in here. rewrite moved in here. exact here.
Qed.
