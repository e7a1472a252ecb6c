(** The claims [turning] and [repeats] (docs/bb-6x6.md, "Certificates"): how they are checked, and
    that a program that passes runs for ever. *)
From Coq Require Import ZArith List Bool Lia.
From TwoL Require Import Language Run.
Import ListNotations.
Open Scope Z_scope.

Definition direction_eqb (d e : direction) : bool :=
  match d, e with Up, Up | Right, Right | Down, Down | Left, Left => true | _, _ => false end.

Definition place_eqb (p q : place) : bool :=
  (column p =? column q) && (row p =? row q) && direction_eqb (facing p) (facing q).

Lemma place_eqb_eq : forall p q, place_eqb p q = true -> p = q.
Proof.
  intros [x y d] [x' y' d']. unfold place_eqb. cbn. rewrite !andb_true_iff, !Z.eqb_eq.
  intros [[-> ->] same]. destruct d, d'; cbn in same; congruence.
Qed.

(** ** A round

    [round n sound s]: [n] steps from [s], each from a state that passes the test [sound]. *)
Fixpoint round (n : nat) (g : grid) (sound : state -> bool) (s : state) : option state :=
  match n with
  | O => Some s
  | S n =>
      if sound s then match advance g s with Some s' => round n g sound s' | None => None end
      else None
  end.

Lemma round_walks : forall g sound n s last, round n g sound s = Some last -> walk n g s = Some last.
Proof.
  intros g sound n. induction n as [|n IH]; cbn; intros s last ends; [exact ends|].
  destruct (sound s); [|discriminate]. destruct (advance g s); [auto|discriminate].
Qed.

(** A round from [s] to [last] is run again and again, if whatever [stands c k s] says of a
    configuration [c] in the [k]-th round and the state [s] of the first one is kept by steps,
    and leads from the end of a round to the begin of the next. *)
Lemma round_runs : forall g sound n s last (stands : configuration -> Z -> state -> Prop),
  round (S n) g sound s = Some last ->
  (forall c k t t', stands c k t -> sound t = true -> advance g t = Some t' ->
     exists c', step g c = Some c' /\ stands c' k t') ->
  (forall c k, stands c k last -> stands c (k + 1) s) ->
  forall c, stands c 0 s -> runs_for_ever g c.
Proof.
  intros g sound n s last stands whole keeps again c here.
  apply invariant_runs with
    (holds := fun c => exists m k t, round m g sound t = Some last /\ stands c k t);
    [|now exists (S n), 0, s].
  clear c here. intros c (m & k & t & rest & here).
  assert (from : forall m k t, round (S m) g sound t = Some last -> stands c k t ->
    exists c', step g c = Some c' /\
      exists m k t, round m g sound t = Some last /\ stands c' k t).
  { clear m k t rest here. intros m k t rest here. cbn in rest.
    destruct (sound t) eqn:passes; [|discriminate].
    destruct (advance g t) as [t'|] eqn:moved; [|discriminate].
    destruct (keeps c k t t' here passes moved) as (c' & moves & there).
    exists c'. split; [exact moves|]. now exists m, k, t'. }
  destruct m as [|m]; [|eapply from; eassumption].
  cbn in rest. injection rest as ->. apply (from n (k + 1) s whole). auto.
Qed.

(** ** Rounds that end where they began (D = 0) *)

(** What a round from [s] to [last] adds to cell [j]. *)
Definition growth (s last : state) (j : Z) : Z := get (cells last) j - get (cells s) j.

(** Whether zero or not makes no difference to the next move. *)
Definition either_way (g : grid) (p : place) : bool :=
  match cell_ahead g p with Some Turn => false | _ => true end.

(** The test of the value comes out the same in all later rounds, or nothing depends on it. *)
Definition same_test (g : grid) (s last t : state) : bool :=
  let c := growth s last (at_cell t) in
  either_way g (at_place t) || (c =? 0) || negb (value t mod c =? 0) || (0 <? value t / c).

Lemma same_test_next : forall g s last t k, 0 <= k -> same_test g s last t = true ->
  next g (at_place t) (value t + k * growth s last (at_cell t) =? 0) =
  next g (at_place t) (value t =? 0).
Proof.
  intros g s last t k not_before. unfold same_test.
  set (c := growth s last (at_cell t)). rewrite !orb_true_iff. intros [[[free|none]|never]|past].
  - unfold either_way in free. unfold next, turned.
    destruct (cell_ahead g (at_place t)) as [[]|]; try discriminate; reflexivity.
  - apply Z.eqb_eq in none. rewrite none, Z.mul_0_r, Z.add_0_r. reflexivity.
  - apply negb_true_iff, Z.eqb_neq in never.
    destruct (Z.eqb_spec (value t) 0) as [zero|_].
    + rewrite zero, Zmod_0_l in never. congruence.
    + destruct (Z.eqb_spec (value t + k * c) 0) as [zero|_]; [|reflexivity].
      destruct never. replace (value t) with ((- k) * c) by lia. apply Z_mod_mult.
  - apply Z.ltb_lt in past.
    assert (c <> 0) by (intros ->; rewrite Zdiv_0_r in past; lia).
    assert (value t = c * (value t / c) + value t mod c) by (apply Z.div_mod; assumption).
    destruct (Z.eqb_spec (value t) 0) as [zero|_]; [rewrite zero, Zdiv_0_l in past; lia|].
    destruct (Z.eqb_spec (value t + k * c) 0) as [zero|_]; [|reflexivity].
    replace (value t) with ((- k) * c) in past by lia.
    rewrite Z.div_mul in past by assumption. lia.
Qed.

Lemma grows_runs : forall g n s last,
  round (S n) g (same_test g s last) s = Some last ->
  at_place last = at_place s -> at_cell last = at_cell s -> state_runs g s.
Proof.
  intros g n s last whole same_place same_cell.
  apply (round_runs g _ n s last
    (fun c k t => 0 <= k /\ pointer c = at_place t /\ dp c = at_cell t /\
       forall j, tape c j = get (cells t) j + k * growth s last j) whole).
  - intros [p x f] k [q y m] t' (not_before & E & F & tape_is) passes moved. cbn in E, F, tape_is.
    subst p x. unfold advance in moved. unfold step. cbn in *.
    rewrite tape_is, (same_test_next g s last (State q y m) k not_before passes
      : next g q (get m y + k * growth s last y =? 0) = _). unfold value in *. cbn in *.
    destruct (next g q (get m y =? 0)) as [[p []]|]; try discriminate;
      injection moved as <-; eexists; (split; [reflexivity|]);
      repeat split; cbn; intros; rewrite ?get_add, ?tape_is; auto.
    destruct (Z.eqb_spec j y) as [->|]; lia.
  - intros c k (? & E & F & tape_is). repeat split; try congruence; [lia|].
    intros j. rewrite tape_is. unfold growth. lia.
  - cbn. repeat split; intros; lia.
Qed.

(** ** Rounds that end elsewhere *)

(** Cell [j] is not behind cell [edge], for a data pointer that goes by [shift] each round. *)
Definition in_front (shift edge j : Z) : bool := 0 <=? shift * (j - edge).

(** In front of [edge] the tape of [s] is what the tape of [last] is, [shift] cells further. *)
Definition same_ahead (shift edge : Z) (s last : state) : bool :=
  forallb (fun '(j, v) => negb (in_front shift edge j) || (get (cells last) (j + shift) =? v))
    (Cells.elements (cells s)) &&
  forallb (fun '(j, v) =>
      negb (in_front shift edge (j - shift)) || (get (cells s) (j - shift) =? v))
    (Cells.elements (cells last)).

Lemma same_ahead_get : forall shift edge s last j, same_ahead shift edge s last = true ->
  in_front shift edge j = true -> get (cells last) (j + shift) = get (cells s) j.
Proof.
  intros shift edge s last j same front. unfold same_ahead in same.
  apply andb_true_iff in same as [before after]. rewrite forallb_forall in before, after.
  destruct (Cells.find j (cells s)) as [v|] eqn:old.
  - specialize (before _ (find_in_elements _ _ _ old)). cbn in before.
    rewrite front in before. apply Z.eqb_eq in before. unfold get at 2. rewrite old. exact before.
  - destruct (Cells.find (j + shift) (cells last)) as [v|] eqn:new.
    + specialize (after _ (find_in_elements _ _ _ new)). cbn in after.
      rewrite Z.add_simpl_r, front in after. apply Z.eqb_eq in after. rewrite after.
      unfold get. rewrite new. reflexivity.
    + unfold get. rewrite old, new. reflexivity.
Qed.

Lemma moves_runs : forall g n s last shift edge,
  round (S n) g (fun t => in_front shift edge (at_cell t)) s = Some last ->
  at_place last = at_place s -> at_cell last = at_cell s + shift ->
  same_ahead shift edge s last = true -> state_runs g s.
Proof.
  intros g n s last shift edge whole same_place farther same.
  apply (round_runs g _ n s last
    (fun c k t => pointer c = at_place t /\ dp c = at_cell t + k * shift /\
       forall j, in_front shift edge j = true -> tape c (j + k * shift) = get (cells t) j) whole).
  - intros [p x f] k [q y m] t' (E & F & tape_is) front moved. cbn in E, F, tape_is, front.
    subst p x. unfold advance, value in moved. unfold step. cbn in *. rewrite (tape_is y front).
    destruct (next g q (get m y =? 0)) as [[p []]|]; try discriminate;
      injection moved as <-; eexists; (split; [reflexivity|]);
      repeat split; cbn; intros; rewrite ?get_add, ?tape_is by assumption; auto; try lia.
    destruct (Z.eqb_spec (j + k * shift) (y + k * shift)), (Z.eqb_spec j y); subst; lia.
  - intros c k (E & F & tape_is). repeat split; try congruence; [lia|].
    intros j front. rewrite <- (same_ahead_get shift edge s last j same front).
    rewrite <- tape_is by (unfold in_front in *; apply Z.leb_le in front; apply Z.leb_le; nia).
    f_equal. lia.
  - cbn. repeat split; intros; [lia|]. f_equal. lia.
Qed.

(** ** The checks *)

(** The extreme of the cells that the data pointer stands on in [n] steps from [s]: the leftmost
    if [choose] is [Z.min]. *)
Fixpoint extreme (n : nat) (g : grid) (choose : Z -> Z -> Z) (s : state) : Z :=
  match n, advance g s with
  | S n, Some s' => choose (at_cell s) (extreme n g choose s')
  | _, _ => at_cell s
  end.

Definition ends_alike (s last : state) (shift : Z) : bool :=
  place_eqb (at_place last) (at_place s) && (at_cell last =? at_cell s + shift).

(** The next [period] blocks of a program in state [s] repeat. *)
Definition check_repeats (g : grid) (s : state) (period : nat) : bool :=
  match blocks g period s with
  | Some (last, S more) =>
      let shift := at_cell last - at_cell s in
      let edge := extreme (S more) g (if shift <? 0 then Z.max else Z.min) s in
      let sound := if shift =? 0 then same_test g s last
        else fun t => in_front shift edge (at_cell t) in
      place_eqb (at_place last) (at_place s) &&
      ((shift =? 0) || same_ahead shift edge s last) &&
      match round (S more) g sound s with Some _ => true | None => false end
  | _ => false
  end.

Theorem check_repeats_sound : forall g s period, check_repeats g s period = true -> state_runs g s.
Proof.
  intros g s period. unfold check_repeats.
  destruct (blocks g period s) as [[last [|more]]|] eqn:ran; try discriminate.
  apply blocks_walk in ran.
  set (shift := at_cell last - at_cell s). set (edge := extreme _ _ _ _).
  rewrite !andb_true_iff. intros [[same_place same] whole]. apply place_eqb_eq in same_place.
  assert (ends : forall sound,
    match round (S more) g sound s with Some _ => true | None => false end = true ->
    round (S more) g sound s = Some last).
  { intros sound. destruct (round (S more) g sound s) as [again|] eqn:rounds; [|discriminate].
    apply round_walks in rounds. congruence. }
  apply ends in whole. destruct (Z.eqb_spec shift 0) as [none|far].
  - apply (grows_runs g more s last whole same_place). lia.
  - apply (moves_runs g more s last shift edge whole same_place); [lia|exact same].
Qed.

(** ** Turning for ever *)

(** [seen], and the places that the pointer comes through in [n] steps without entering a data
    cell, up to the first one that was seen. *)
Fixpoint turning_places (n : nat) (g : grid) (p : place) (zero : bool) (seen : list place) :
    list place :=
  if existsb (place_eqb p) seen then seen
  else match n, next g p zero with
       | S n, Some (q, Nothing) => turning_places n g q zero (p :: seen)
       | _, _ => p :: seen
       end.

(** The pointer has come back: no way leads out of these places, and none over a data cell. *)
Definition goes_round (g : grid) (zero : bool) (places : list place) : bool :=
  forallb (fun p => match next g p zero with
                    | Some (q, Nothing) => existsb (place_eqb q) places
                    | _ => false
                    end) places.

Definition check_turning (g : grid) (s : state) : bool :=
  let places := turning_places (longest_block g) g (at_place s) (value s =? 0) [] in
  goes_round g (value s =? 0) places && existsb (place_eqb (at_place s)) places.

Theorem check_turning_sound : forall g s, check_turning g s = true -> state_runs g s.
Proof.
  intros g s. unfold check_turning. generalize (turning_places (longest_block g) g (at_place s) (value s =? 0) []).
  intros places. rewrite andb_true_iff, existsb_exists. intros [round (p & there & same)].
  apply place_eqb_eq in same. subst p. unfold goes_round in round. rewrite forallb_forall in round.
  apply invariant_runs with (holds := fun c => In (pointer c) places /\
    (tape c (dp c) =? 0) = (value s =? 0)); [|split; [exact there|reflexivity]].
  clear there. intros c [there same]. specialize (round _ there). unfold step. rewrite same.
  destruct (next g (pointer c) (value s =? 0)) as [[q []]|]; try discriminate.
  eexists. split; [reflexivity|]. cbn. split; [|exact same].
  apply existsb_exists in round as (p & inside & equal). apply place_eqb_eq in equal. congruence.
Qed.
