(** The claim [closed] (docs/bb-6x6.md, "Certificates"): a finite set of views that holds all that
    the program can ever see. With no values beside the data pointer in view ([reach] 0) it says
    that there is no way out, whatever the tape holds.

    The set is computed and then tested; only the test is proved. It goes by steps where
    the document goes by blocks, which comes to the same: within a block nothing is tested. *)
From Coq Require Import ZArith List Bool Lia.
From Coq Require Import FSets.FMapPositive.
From TwoL Require Import Language Run Repeats.
Import ListNotations.
Open Scope Z_scope.

(** How much is seen: [reach] values on each side, values up to [exact] exactly, others
    modulo [modulus], positions modulo [period]. *)
Record resolution := Resolution { reach : nat; exact : Z; modulus : Z; period : Z }.

Definition meaningful (r : resolution) : bool :=
  (0 <=? exact r) && (0 <? modulus r) && (0 <? period r).

(** ** Classes of values *)

(** The class of values beyond [exact] with this sign and remainder. *)
Definition far (r : resolution) (sign remainder : Z) : Z :=
  sign * (exact r + 1 + remainder mod modulus r).

(** A value that is kept exactly is its own class. *)
Definition class (r : resolution) (v : Z) : Z :=
  if Z.abs v <=? exact r then v else far r (Z.sgn v) v.

(** The classes of [v + n] for the values [v] of class [c], where [n] is 1 or -1. *)
Definition classes_after (r : resolution) (c n : Z) : list Z :=
  if Z.abs c <=? exact r then [class r (c + n)]
  else
    let sign := Z.sgn c in
    let nearest := sign * (exact r + 1) in
    far r sign (Z.abs c - exact r - 1 + n) ::
    (if c =? class r nearest then [class r (nearest + n)] else []).

Definition all_classes (r : resolution) : list Z :=
  let most := exact r + modulus r in
  map (fun i => Z.of_nat i - most) (seq 0 (Z.to_nat (2 * most + 1))).

Definition unit (n : Z) : Prop := n = 1 \/ n = -1.

Section Classes.
  Variable r : resolution.
  Hypothesis sense : meaningful r = true.

  Lemma numbers : 0 <= exact r /\ 0 < modulus r /\ 0 < period r.
  Proof.
    unfold meaningful in sense. rewrite !andb_true_iff, Z.leb_le, !Z.ltb_lt in sense. tauto.
  Qed.

  Lemma class_cases : forall v,
    (Z.abs v <= exact r /\ class r v = v) \/
    (Z.abs v > exact r /\ class r v = Z.sgn v * (exact r + 1 + v mod modulus r) /\
     0 <= v mod modulus r < modulus r).
  Proof.
    intros v. destruct numbers as (? & ? & ?). unfold class, far.
    destruct (Z.leb_spec (Z.abs v) (exact r)); [left; lia|right].
    repeat split; try lia; apply Z.mod_pos_bound; lia.
  Qed.

  Lemma class_zero : forall v, (class r v =? 0) = (v =? 0).
  Proof.
    intros v. destruct numbers as (? & ? & ?).
    destruct (class_cases v) as [(_ & ->)|(? & -> & ?)]; [reflexivity|].
    destruct (Z.eqb_spec v 0); [lia|]. apply Z.eqb_neq. nia.
  Qed.

  Lemma in_all_classes : forall v, In (class r v) (all_classes r).
  Proof.
    intros v. destruct numbers as (? & ? & ?). unfold all_classes. apply in_map_iff.
    set (most := exact r + modulus r).
    assert (- most <= class r v <= most)
      by (unfold most; destruct (class_cases v) as [(? & ->)|(? & -> & ?)]; [lia|]; nia).
    exists (Z.to_nat (class r v + most)). split; [lia|]. apply in_seq. lia.
  Qed.

  Lemma class_after : forall v n, unit n -> In (class r (v + n)) (classes_after r (class r v) n).
  Proof.
    intros v n one. destruct numbers as (? & ? & ?). unfold classes_after.
    destruct (class_cases v) as [(near & ->)|(beyond & is_class & ?)].
    - destruct (Z.leb_spec (Z.abs v) (exact r)); [left; reflexivity|lia].
    - set (c := class r v) in *.
      assert (sign : Z.sgn c = Z.sgn v) by nia.
      assert (Z.abs c = exact r + 1 + v mod modulus r) by nia.
      destruct (Z.leb_spec (Z.abs c) (exact r)); [lia|]. rewrite sign.
      destruct (class_cases (v + n)) as [(near & ->)|(still & -> & ?)].
      + right. assert (v = Z.sgn v * (exact r + 1)) as is_nearest by (destruct one; lia).
        rewrite <- is_nearest. fold c. rewrite Z.eqb_refl. left.
        destruct (class_cases (v + n)) as [(_ & ->)|(? & _)]; lia.
      + left. unfold far. replace (Z.sgn (v + n)) with (Z.sgn v) by (destruct one; lia).
        f_equal. f_equal. replace (Z.abs c - exact r - 1 + n) with (v mod modulus r + n) by lia.
        apply Zplus_mod_idemp_l.
  Qed.
End Classes.

(** ** Views and words *)

(** The classes of [n] values, from cell [j] on in steps of [d]. *)
Fixpoint classes (r : resolution) (t : Z -> Z) (n : nat) (j d : Z) : list Z :=
  match n with O => [] | S n => class r (t j) :: classes r t n (j + d) d end.

Lemma classes_firstn : forall r t n j d, firstn n (classes r t (S n) j d) = classes r t n j d.
Proof.
  intros r t n. induction n as [|n IH]; intros j d; [reflexivity|].
  change (classes r t (S (S n)) j d) with (class r (t j) :: classes r t (S n) (j + d) d).
  rewrite firstn_cons, IH. reflexivity.
Qed.

(** What is seen of a configuration: the values to the left and right, nearest first. *)
Record view := View { seen_at : place; here : Z; left_side : list Z; right_side : list Z; position : Z }.

(** A word of a side: where its nearest value stands (modulo the period), and the classes. *)
Definition word := (Z * list Z)%type.

(** The side of a view that lies in direction [d] (1 or -1). *)
Definition side (d : Z) (v : view) : list Z := if 0 <? d then right_side v else left_side v.

Definition view_towards (d : Z) (p : place) (c : Z) (near behind : list Z) (at_ : Z) : view :=
  if 0 <? d then View p c behind near at_ else View p c near behind at_.

Definition view_of (r : resolution) (c : configuration) : view :=
  View (pointer c) (class r (tape c (dp c))) (classes r (tape c) (reach r) (dp c - 1) (-1))
    (classes r (tape c) (reach r) (dp c + 1) 1) (dp c mod period r).

Definition word_at (r : resolution) (t : Z -> Z) (j d : Z) : word :=
  (j mod period r, classes r t (reach r) j d).

Lemma view_of_towards : forall r c d, unit d ->
  view_of r c = view_towards d (pointer c) (class r (tape c (dp c)))
    (classes r (tape c) (reach r) (dp c + d) d) (classes r (tape c) (reach r) (dp c - d) (- d))
    (dp c mod period r).
Proof. intros r c d [-> | ->]; reflexivity. Qed.

Fixpoint list_eqb (a b : list Z) : bool :=
  match a, b with
  | [], [] => true
  | x :: a, y :: b => (x =? y) && list_eqb a b
  | _, _ => false
  end.

Lemma list_eqb_eq : forall a b, list_eqb a b = true <-> a = b.
Proof.
  induction a as [|x a IH]; intros [|y b]; cbn; try (split; congruence).
  rewrite andb_true_iff, Z.eqb_eq, IH. split; [intros [-> ->]; reflexivity|].
  intros E. injection E as -> ->. auto.
Qed.

Definition word_eqb (a b : word) : bool := (fst a =? fst b) && list_eqb (snd a) (snd b).

Lemma word_eqb_eq : forall a b, word_eqb a b = true -> a = b.
Proof.
  intros [a u] [b v]. unfold word_eqb. cbn. rewrite andb_true_iff, Z.eqb_eq, list_eqb_eq.
  intros [-> ->]. reflexivity.
Qed.

Definition view_eqb (a b : view) : bool :=
  place_eqb (seen_at a) (seen_at b) && (here a =? here b) && (position a =? position b) &&
  list_eqb (left_side a) (left_side b) && list_eqb (right_side a) (right_side b).

Lemma view_eqb_eq : forall a b, view_eqb a b = true -> a = b.
Proof.
  intros [p c l r x] [q d m s y]. unfold view_eqb. cbn.
  rewrite !andb_true_iff, !Z.eqb_eq, !list_eqb_eq.
  intros [[[[same ->] ->] ->] ->]. apply place_eqb_eq in same. congruence.
Qed.

(** ** Tables

    Views and words are kept in lists by a number. Two things that share a number are
    told apart by comparing them, so nothing depends on how the numbers are made. *)
Definition table (A : Type) := PositiveMap.t (list A).

Definition entries {A} (k : positive) (t : table A) : list A :=
  match PositiveMap.find k t with Some l => l | None => [] end.

Definition insert {A} (k : positive) (x : A) (t : table A) : table A :=
  PositiveMap.add k (x :: entries k t) t.

Definition number (items : list Z) : positive :=
  fold_left (fun n i => (n~0~0~0~0~0~0 + Z.to_pos (i + 32))%positive) items 1%positive.

Definition number_of_direction (d : direction) : Z :=
  match d with Up => 0 | Right => 1 | Down => 2 | Left => 3 end.

Definition view_number (v : view) : positive :=
  let p := seen_at v in
  number (column p :: row p :: number_of_direction (facing p) :: here v :: position v ::
    left_side v ++ right_side v).

Definition word_number (at_ : Z) (near : list Z) : positive := number (at_ :: near).

(** The views, and the words by the side on which they are: what a claim comes to. *)
Record seen := Seen { views : table view; left_words : table word; right_words : table word }.

Definition words (d : Z) (s : seen) : table word := if 0 <? d then right_words s else left_words s.

Definition has_view (s : seen) (v : view) : bool :=
  existsb (view_eqb v) (entries (view_number v) (views s)).

(** All but the farthest class of a word. *)
Definition nearest (r : resolution) (w : list Z) : list Z := firstn (pred (reach r)) w.

Definition has_word (r : resolution) (d : Z) (s : seen) (w : word) : bool :=
  existsb (word_eqb w) (entries (word_number (fst w) (nearest r (snd w))) (words d s)).

(** The words of side [d] at this position that begin with these classes. *)
Definition continuations (r : resolution) (d : Z) (s : seen) (at_ : Z) (near : list Z) : list word :=
  filter (fun w => word_eqb (fst w, nearest r (snd w)) (at_, near))
    (entries (word_number at_ near) (words d s)).

(** ** What follows a view *)

(** The word that lies behind after a move in direction [d]. *)
Definition left_behind (r : resolution) (d : Z) (v : view) : word :=
  ((position v - d) mod period r, side (- d) v).

(** The views after a move in direction [d] to a place. *)
Definition moved (r : resolution) (s : seen) (d : Z) (p : place) (v : view) : list view :=
  let at_ := (position v + d) mod period r in
  let behind := firstn (reach r) (here v :: side (- d) v) in
  match side d v with
  | [] => map (fun c => view_towards d p c [] [] at_) (all_classes r)
  | c :: near =>
      map (fun w => view_towards d p c (snd w) behind at_)
        (continuations r d s ((position v + 2 * d) mod period r) near)
  end.

Definition with_value (v : view) (p : place) (c : Z) : view :=
  View p c (left_side v) (right_side v) (position v).

(** Everything that may follow the view is there, and it does not end. *)
Definition follows (g : grid) (r : resolution) (s : seen) (v : view) : bool :=
  match next g (seen_at v) (here v =? 0) with
  | None => false
  | Some (p, Nothing) => has_view s (with_value v p (here v))
  | Some (p, Add n) => forallb (fun c => has_view s (with_value v p c)) (classes_after r (here v) n)
  | Some (p, Shift d) =>
      ((reach r =? 0)%nat || has_word r (- d) s (left_behind r d v)) &&
      forallb (has_view s) (moved r s d p v)
  end.

Definition is_closed (g : grid) (r : resolution) (s : seen) : bool :=
  forallb (fun '(_, l) => forallb (follows g r s) l) (PositiveMap.elements (views s)).

Lemma closed_follows : forall g r s v,
  is_closed g r s = true -> has_view s v = true -> follows g r s v = true.
Proof.
  intros g r s v closed there. unfold has_view, entries in there.
  destruct (PositiveMap.find (view_number v) (views s)) as [l|] eqn:found; [|discriminate].
  apply PositiveMap.elements_correct in found.
  unfold is_closed in closed. rewrite forallb_forall in closed.
  specialize (closed _ found). cbn in closed. rewrite forallb_forall in closed.
  apply existsb_exists in there as (w & inside & same). apply view_eqb_eq in same. subst w. auto.
Qed.

Lemma in_continuations : forall r d s at_ near w,
  has_word r d s w = true -> fst w = at_ -> nearest r (snd w) = near ->
  In w (continuations r d s at_ near).
Proof.
  intros r d s at_ near w there <- <-. unfold has_word in there.
  apply existsb_exists in there as (u & inside & same). apply word_eqb_eq in same. subst u.
  apply filter_In. split; [exact inside|].
  unfold word_eqb. cbn. rewrite Z.eqb_refl. apply list_eqb_eq. reflexivity.
Qed.

(** ** Covered configurations *)

(** What is around the data pointer is one of the views, and what is farther out, two cells and
    more away, are words of their side. *)
Definition covered (r : resolution) (s : seen) (c : configuration) : Prop :=
  has_view s (view_of r c) = true /\
  (reach r <> O -> forall d k, unit d -> 2 <= k ->
     has_word r d s (word_at r (tape c) (dp c + d * k) d) = true).

(** Only the value at the data pointer differs: the sides of the view, and the words, are the same. *)
Lemma classes_elsewhere : forall r t u x d, (forall j, j <> x -> u j = t j) -> unit d ->
  forall n k, 1 <= k -> classes r u n (x + d * k) d = classes r t n (x + d * k) d.
Proof.
  intros r t u x d same one n. induction n as [|n IH]; intros k away; [reflexivity|].
  cbn. f_equal.
  - f_equal. apply same. destruct one; lia.
  - replace (x + d * k + d) with (x + d * (k + 1)) by lia. apply IH. lia.
Qed.

Lemma in_place_covered : forall r s c p u,
  covered r s c -> (forall j, j <> dp c -> u j = tape c j) ->
  has_view s (with_value (view_of r c) p (class r (u (dp c)))) = true ->
  covered r s (Configuration p (dp c) u).
Proof.
  intros r s c p u [_ around] same there. split.
  - rewrite <- there. f_equal. unfold view_of, with_value. cbn. f_equal;
      [apply (classes_elsewhere r (tape c) u (dp c) (-1) same (or_intror eq_refl) _ 1)
      |apply (classes_elsewhere r (tape c) u (dp c) 1 same (or_introl eq_refl) _ 1)]; lia.
  - intros some d k one away. cbn. specialize (around some d k one away).
    rewrite <- around. f_equal. unfold word_at. f_equal.
    apply (classes_elsewhere r (tape c) u (dp c) d same one). lia.
Qed.

Lemma shifted_covered : forall g r s c p d, meaningful r = true -> unit d ->
  covered r s c -> next g (pointer c) (tape c (dp c) =? 0) = Some (p, Shift d) ->
  follows g r s (view_of r c) = true ->
  covered r s (Configuration p (dp c + d) (tape c)).
Proof.
  intros g r s c p d sense one [_ around] leads ok.
  unfold follows in ok. cbn [view_of seen_at here] in ok.
  rewrite class_zero, leads in ok by exact sense. apply andb_true_iff in ok as [behind ok].
  rewrite forallb_forall in ok. split.
  - apply ok. clear ok. rewrite (view_of_towards _ _ d one). cbn [pointer dp tape].
    unfold moved. rewrite (view_of_towards r c d one).
    assert (sides : forall q v a b x, side d (view_towards d q v a b x) = a /\
      side (- d) (view_towards d q v a b x) = b /\ here (view_towards d q v a b x) = v /\
      position (view_towards d q v a b x) = x)
      by (intros; destruct one as [-> | ->]; repeat split; reflexivity).
    match goal with |- context [side d (view_towards d ?q ?v ?a ?b ?x)] =>
      destruct (sides q v a b x) as (E1 & E2 & E3 & E4) end.
    rewrite E1, E2, E3, E4, !Zplus_mod_idemp_l. clear E1 E2 E3 E4.
    destruct (reach r) as [|n] eqn:far_.
    + cbn. apply in_map_iff. exists (class r (tape c (dp c + d))). split; [reflexivity|].
      apply in_all_classes. exact sense.
    + cbn [classes firstn]. apply in_map_iff.
      exists (word_at r (tape c) (dp c + d * 2) d). split.
      * unfold word_at. rewrite far_. cbn [snd].
        replace (dp c + d * 2) with (dp c + d + d) by lia.
        replace (dp c + d - d) with (dp c) by lia. f_equal.
        change (class r (tape c (dp c)) :: classes r (tape c) n (dp c + - d) (- d)) with
          (classes r (tape c) (S n) (dp c) (- d)).
        cbn [classes]. f_equal.
        change (class r (tape c (dp c - d)) :: classes r (tape c) n (dp c - d + - d) (- d)) with
          (classes r (tape c) (S n) (dp c - d) (- d)).
        rewrite classes_firstn. reflexivity.
      * apply in_continuations.
        -- apply around; [discriminate|exact one|lia].
        -- unfold word_at. cbn [fst]. f_equal. lia.
        -- unfold word_at, nearest. rewrite far_. cbn [snd pred]. rewrite classes_firstn. f_equal. lia.
  - intros some e k e_one away. cbn [tape dp].
    assert (e = d \/ e = - d) as [-> | ->] by (destruct one, e_one; lia).
    + replace (dp c + d + d * k) with (dp c + d * (k + 1)) by lia. apply around; auto. lia.
    + destruct (Z.eq_dec k 2) as [-> | more].
      * apply orb_true_iff in behind as [none|behind]; [apply Nat.eqb_eq in none; contradiction|].
        rewrite <- behind. f_equal. unfold word_at, left_behind.
        replace (dp c + d + - d * 2) with (dp c - d) by lia.
        f_equal; [|destruct one as [-> | ->]; reflexivity].
        cbn. symmetry. apply Zminus_mod_idemp_l.
      * replace (dp c + d + - d * k) with (dp c + - d * (k - 1)) by lia. apply around; auto. lia.
Qed.

Lemma next_unit : forall g p zero q a, next g p zero = Some (q, a) ->
  match a with Nothing => True | Add n | Shift n => unit n end.
Proof.
  intros g p zero q a. unfold next.
  destruct (cell_at g _ _) as [[]|]; try discriminate; intros E; injection E as <- <-; [exact I|].
  destruct (facing _); [left|left|right|right]; reflexivity.
Qed.

Theorem covered_runs : forall g r s c, meaningful r = true -> is_closed g r s = true ->
  covered r s c -> runs_for_ever g c.
Proof.
  intros g r s c sense closed. revert c.
  apply (invariant_runs g (covered r s)). intros c cover.
  specialize (closed_follows g r s _ closed (proj1 cover)) as ok.
  unfold step. destruct (next g (pointer c) (tape c (dp c) =? 0)) as [[p []]|] eqn:leads.
  - eexists. split; [reflexivity|]. apply in_place_covered with (u := tape c); auto.
    unfold follows in ok. cbn [view_of seen_at here] in ok.
    rewrite class_zero, leads in ok by exact sense. exact ok.
  - eexists. split; [reflexivity|]. apply next_unit in leads as one. apply in_place_covered; auto.
    + intros j other. destruct (Z.eqb_spec j (dp c)); congruence.
    + unfold follows in ok. cbn [view_of seen_at here] in ok.
      rewrite class_zero, leads in ok by exact sense. rewrite forallb_forall in ok.
      apply ok. rewrite Z.eqb_refl. apply class_after; assumption.
  - eexists. split; [reflexivity|]. apply next_unit in leads as one.
    apply (shifted_covered g r s c p n); assumption.
  - unfold follows in ok. cbn [view_of seen_at here] in ok.
    rewrite class_zero, leads in ok by exact sense. discriminate.
Qed.
