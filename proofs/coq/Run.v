(** Running a program: the same steps on a tape that is kept as a finite map. *)
From Coq Require Import ZArith List Bool Lia.
From Coq Require FMapAVL FMapFacts Structures.OrderedTypeEx.
From TwoL Require Import Language.
Import ListNotations.
Open Scope Z_scope.

Module Cells := FMapAVL.Make OrderedTypeEx.Z_as_OT.
Module Facts := FMapFacts.WFacts_fun OrderedTypeEx.Z_as_OT Cells.

(** The value of cell [j]; cells that are not in the map are zero. *)
Definition get (cells : Cells.t Z) (j : Z) : Z :=
  match Cells.find j cells with Some v => v | None => 0 end.

Lemma get_add : forall cells k v j,
  get (Cells.add k v cells) j = if j =? k then v else get cells j.
Proof.
  intros. unfold get. rewrite Facts.add_o.
  destruct (OrderedTypeEx.Z_as_OT.eq_dec k j), (Z.eqb_spec j k); congruence.
Qed.

Lemma find_in_elements : forall cells j v,
  Cells.find j cells = Some v -> @In (Z * Z) (j, v) (Cells.elements cells).
Proof.
  intros cells j v found.
  apply Facts.find_mapsto_iff, Facts.elements_mapsto_iff, SetoidList.InA_alt in found.
  destruct found as ([k w] & [same_key same_value] & there).
  cbn in same_key, same_value. subst k w. exact there.
Qed.

Record state := State { at_place : place; at_cell : Z; cells : Cells.t Z }.

Definition value (s : state) : Z := get (cells s) (at_cell s).

(** The configuration that a state stands for. *)
Definition configuration_of (s : state) : configuration :=
  Configuration (at_place s) (at_cell s) (get (cells s)).

Definition first : state := State (pointer start) 0 (Cells.empty Z).

Definition advance (g : grid) (s : state) : option state :=
  match next g (at_place s) (value s =? 0) with
  | None => None
  | Some (p, Nothing) => Some (State p (at_cell s) (cells s))
  | Some (p, Add n) =>
      Some (State p (at_cell s) (Cells.add (at_cell s) (value s + n) (cells s)))
  | Some (p, Shift n) => Some (State p (at_cell s + n) (cells s))
  end.

(** ** Configurations that are alike

    Tapes are functions, so "the same tape" means the same value in each cell. *)

Definition alike (c d : configuration) : Prop :=
  pointer c = pointer d /\ dp c = dp d /\ forall j, tape c j = tape d j.

Lemma step_alike : forall g c d c', alike c d -> step g c = Some c' ->
  exists d', step g d = Some d' /\ alike c' d'.
Proof.
  intros g [p x t] [q y u] c' (E & F & same). cbn in E, F, same. subst q y.
  unfold step. cbn. rewrite <- same.
  destruct (next g p (t x =? 0)) as [[q []]|]; intros moved; try discriminate;
    injection moved as <-; eexists; (split; [reflexivity|]);
    repeat split; cbn; intros; rewrite ?same; reflexivity.
Qed.

Lemma runs_alike : forall g c d, alike c d -> runs_for_ever g c -> runs_for_ever g d.
Proof.
  intros g c d same ever.
  apply invariant_runs with (holds := fun d => exists c, alike c d /\ runs_for_ever g c); [|eauto].
  clear. intros d (c & same & ever). specialize (ever 1%nat) as once. cbn in once.
  destruct (step g c) as [c'|] eqn:moved; [|congruence].
  destruct (step_alike g c d c' same moved) as (d' & moves & close).
  exists d'. split; [exact moves|]. exists c'. split; [exact close|].
  intros n. specialize (ever (S n)). cbn in ever. rewrite moved in ever. exact ever.
Qed.

Lemma step_advance : forall g s s', advance g s = Some s' ->
  exists c', step g (configuration_of s) = Some c' /\ alike c' (configuration_of s').
Proof.
  intros g [p x m] s'. unfold advance, step, value. cbn.
  destruct (next g p (get m x =? 0)) as [[q []]|]; intros moved; try discriminate;
    injection moved as <-; eexists; (split; [reflexivity|]);
    repeat split; cbn; intros; rewrite ?get_add; try reflexivity.
  destruct (Z.eqb_spec j x); congruence.
Qed.

(** ** Blocks

    How many steps a claim is about is given in blocks (docs/bb-6x6.md, "Blocks"). Nothing below
    relies on where they end. *)

(** The steps of one block, counted on to [taken]; [None] if it does not end within [fuel]. *)
Fixpoint block (fuel : nat) (g : grid) (data : bool) (taken : nat) (s : state) :
    option (state * nat) :=
  match fuel, data, cell_ahead g (at_place s) with
  | _, true, Some Turn => Some (s, taken)
  | O, _, _ => None
  | S fuel, _, _ =>
      match next g (at_place s) (value s =? 0), advance g s with
      | Some (_, a), Some s' =>
          block fuel g (match a with Nothing => data | _ => true end) (S taken) s'
      | _, _ => None
      end
  end.

(** No block takes more steps: there are four times as many places as cells, and after its
    first data cell a block goes straight on. *)
Definition longest_block (g : grid) : nat := (5 * length (concat g) + 5)%nat.

Fixpoint blocks_from (fuel : nat) (g : grid) (n : nat) (taken : nat) (s : state) :
    option (state * nat) :=
  match n with
  | O => Some (s, taken)
  | S n =>
      match block fuel g false taken s with
      | Some (s', taken') => blocks_from fuel g n taken' s'
      | None => None
      end
  end.

(** The state after [n] blocks, and how many steps they take. *)
Definition blocks (g : grid) (n : nat) (s : state) : option (state * nat) :=
  blocks_from (longest_block g) g n 0 s.

Definition state_runs (g : grid) (s : state) : Prop := runs_for_ever g (configuration_of s).

Lemma advance_runs : forall g s s', advance g s = Some s' -> state_runs g s' -> state_runs g s.
Proof.
  intros g s s' moved ever. destruct (step_advance g s s' moved) as (c' & steps_to & same).
  apply (steps_then_runs g 1 _ c').
  - cbn. rewrite steps_to. reflexivity.
  - refine (runs_alike _ _ _ _ ever). destruct same as (? & ? & ?). repeat split; auto.
Qed.

(** The state after [n] steps. *)
Fixpoint walk (n : nat) (g : grid) (s : state) : option state :=
  match n with
  | O => Some s
  | S n => match advance g s with Some s' => walk n g s' | None => None end
  end.

Lemma walk_runs : forall g n s s', walk n g s = Some s' -> state_runs g s' -> state_runs g s.
Proof.
  intros g n. induction n as [|n IH]; cbn; intros s s' ends ever.
  - injection ends as ->. exact ever.
  - destruct (advance g s) as [s1|] eqn:moved; [|discriminate].
    apply (advance_runs g s s1 moved). eapply IH; eassumption.
Qed.

Lemma walk_walk : forall g m n s t u,
  walk m g s = Some t -> walk n g t = Some u -> walk (m + n) g s = Some u.
Proof.
  intros g m. induction m as [|m IH]; cbn; intros n s t u one two.
  - injection one as ->. exact two.
  - destruct (advance g s) as [s1|]; [|discriminate]. eapply IH; eassumption.
Qed.

Lemma block_walks : forall g fuel data taken s s' n, block fuel g data taken s = Some (s', n) ->
  exists m, n = (taken + m)%nat /\ walk m g s = Some s'.
Proof.
  intros g fuel. induction fuel as [|fuel IH]; intros data taken s s' n; cbn.
  - destruct data; [|discriminate]. destruct (cell_ahead g (at_place s)) as [[]|]; try discriminate.
    intros ends; injection ends as -> ->. exists O. auto.
  - assert (go : match next g (at_place s) (value s =? 0), advance g s with
                 | Some (_, a), Some s1 =>
                     block fuel g (match a with Nothing => data | _ => true end) (S taken) s1
                 | _, _ => None
                 end = Some (s', n) -> exists m, n = (taken + m)%nat /\ walk m g s = Some s').
    { destruct (next g (at_place s) (value s =? 0)) as [[? a]|]; [|discriminate].
      destruct (advance g s) as [s1|] eqn:moved; [|discriminate].
      intros ends. destruct (IH _ _ _ _ _ ends) as (m & -> & rest).
      exists (S m). cbn. rewrite moved. split; [lia|exact rest]. }
    destruct data; [|exact go].
    destruct (cell_ahead g (at_place s)) as [[]|]; try exact go.
    intros ends; injection ends as -> ->. exists O. auto.
Qed.

Lemma blocks_walk : forall g n s s' taken, blocks g n s = Some (s', taken) ->
  walk taken g s = Some s'.
Proof.
  intros g n s s' taken. unfold blocks.
  enough (from : forall fuel count s, blocks_from fuel g n count s = Some (s', taken) ->
    exists m, taken = (count + m)%nat /\ walk m g s = Some s').
  { intros ends. destruct (from _ _ _ ends) as (m & -> & there). exact there. }
  intros fuel. induction n as [|n IH]; cbn; intros count t.
  - intros ends; injection ends as -> ->. exists O. auto.
  - destruct (block fuel g false count t) as [[t1 count1]|] eqn:one; [|discriminate].
    intros ends. destruct (block_walks _ _ _ _ _ _ _ one) as (m & -> & there).
    destruct (IH _ _ ends) as (m' & -> & rest).
    exists (m + m')%nat. split; [lia|]. eapply walk_walk; eassumption.
Qed.

Lemma blocks_run : forall g n s s' taken,
  blocks g n s = Some (s', taken) -> state_runs g s' -> state_runs g s.
Proof. intros g n s s' taken ends. eapply walk_runs, blocks_walk, ends. Qed.
