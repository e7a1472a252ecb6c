(** Certificates as text, and the theorem: a program whose certificate is accepted never halts. *)
From Coq Require Import ZArith List Bool Lia Ascii String.
From TwoL Require Import Language Run Repeats Closed Explore.
Import ListNotations.
Open Scope Z_scope.

(** ** Programs (docs/bb-6x6.md, "Programs as text") *)

(** The six bits of a letter, most significant first. *)
Definition bits_of_letter (a : ascii) : option (list bool) :=
  let n := N_of_ascii a in
  let within (first last : ascii) := (N.leb (N_of_ascii first) n && N.leb n (N_of_ascii last))%bool in
  let index : option N :=
    if within "A"%char "Z"%char then Some (n - 65)%N
    else if within "a"%char "z"%char then Some (n - 97 + 26)%N
    else if within "0"%char "9"%char then Some (n - 48 + 52)%N
    else if N.eqb n 43 then Some 62%N
    else if N.eqb n 47 then Some 63%N
    else None in
  option_map (fun i => map (N.testbit_nat i) [5; 4; 3; 2; 1; 0]%nat) index.

Fixpoint bits_of (text : string) : option (list bool) :=
  match text with
  | EmptyString => Some []
  | String a rest =>
      match bits_of_letter a, bits_of rest with
      | Some bits, Some more => Some (bits ++ more)
      | _, _ => None
      end
  end.

Definition number_of_bits (bits : list bool) : nat :=
  fold_left (fun n (b : bool) => (2 * n + if b then 1 else 0)%nat) bits O.

(** A row of [width] cells, and the bits behind it. *)
Fixpoint row_of (width : nat) (bits : list bool) : option (list cell * list bool) :=
  match width, bits with
  | O, _ => Some ([], bits)
  | S width, high :: low :: bits =>
      match row_of width bits with
      | Some (cells, rest) =>
          let c := match high, low with
                   | false, false => Noop | false, true => Data | true, false => Turn | true, true => Open
                   end in
          Some (c :: cells, rest)
      | None => None
      end
  | _, _ => None
  end.

(** The rows, which come from the top, and the bits behind them. *)
Fixpoint rows_of (width height : nat) (bits : list bool) : option (grid * list bool) :=
  match height with
  | O => Some ([], bits)
  | S height =>
      match row_of width bits with
      | Some (top, bits) =>
          match rows_of width height bits with
          | Some (g, rest) => Some (g ++ [top], rest)
          | None => None
          end
      | None => None
      end
  end.

Definition program_of (text : string) : option grid :=
  match bits_of text with
  | Some bits =>
      let width := number_of_bits (firstn 4 bits) in
      let height := number_of_bits (firstn 4 (skipn 4 bits)) in
      match rows_of width height (skipn 8 bits) with
      | Some (g, padding) =>
          if (0 <? width)%nat && (0 <? height)%nat && (List.length padding <? 6)%nat
             && forallb negb padding
          then Some g else None
      | None => None
      end
  | None => None
  end.

(** ** Lines *)

Fixpoint words_of (text : string) : list string :=
  match text with
  | EmptyString => [EmptyString]
  | String a rest =>
      match words_of rest with
      | w :: more =>
          if Ascii.eqb a " "%char then EmptyString :: w :: more else String a w :: more
      | [] => []
      end
  end.

Fixpoint digits (text : string) (before : N) : option N :=
  match text with
  | EmptyString => Some before
  | String a rest =>
      let n := N_of_ascii a in
      if (N.leb 48 n && N.leb n 57)%bool then digits rest (10 * before + (n - 48))%N else None
  end.

Definition decimal (text : string) : option N :=
  match text with EmptyString => None | _ => digits text 0%N end.

Inductive claim := Turning | Repeats (period : N) | ClosedSet (r : resolution).

Definition closed_claim (reach exact modulus period : N) : option claim :=
  if (N.leb reach 12 && N.leb (2 * exact + 1 + 2 * modulus) 32 && N.leb period 15)%bool
  then Some (ClosedSet (Resolution (N.to_nat reach) (Z.of_N exact) (Z.of_N modulus) (Z.of_N period)))
  else None.

(** The limits of docs/bb-6x6.md: without them a number of many digits would run for ever. *)
Definition most_blocks : N := 10000000.
Definition most_period : N := 65536.

(** A claim and the digest, which shows damage and proves nothing; it is not looked at here. *)
Definition claim_of (text : list string) : option claim :=
  match text with
  | [kind; _] => if String.eqb kind "turning" then Some Turning else None
  | [kind; p; _] =>
      match decimal p with
      | Some p => if (String.eqb kind "repeats" && N.leb p most_period)%bool then Some (Repeats p) else None
      | None => None
      end
  | kind :: a :: b :: c :: rest =>
      if String.eqb kind "closed" then
        match decimal a, decimal b, decimal c, rest with
        | Some a, Some b, Some c, [_] => closed_claim a b c 1
        | Some a, Some b, Some c, [d; _] =>
            match decimal d with Some d => closed_claim a b c d | None => None end
        | _, _, _, _ => None
        end
      else None
  | _ => None
  end.

(** ** The check *)

(** The tape of [s] is zero outside of the cells from [low] to [high]. *)
Definition zero_outside (s : state) (low high : Z) : bool :=
  forallb (fun '(j, _) => (low <=? j) && (j <=? high)) (Cells.elements (cells s)).

Definition numbers_from (low : Z) (n : nat) : list Z := map (fun i => low + Z.of_nat i) (seq 0 n).

(** The state is covered: tested where its tape may be other than zero, and with words of zeros
    for each position. *)
Definition check_covered (r : resolution) (s : state) (low high : Z) (all : seen) : bool :=
  let c := configuration_of s in
  let zeros at_ := (at_, repeat 0 (reach r)) in
  has_view all (view_of r c) && zero_outside s low high &&
  ((reach r =? 0)%nat ||
   (forallb (fun at_ => has_word r 1 all (zeros at_) && has_word r (-1) all (zeros at_))
      (numbers_from 0 (Z.to_nat (period r))) &&
    forallb (fun j => has_word r 1 all (word_at r (tape c) j 1))
      (numbers_from (at_cell s + 2) (Z.to_nat (high - at_cell s - 1))) &&
    forallb (fun j => has_word r (-1) all (word_at r (tape c) j (-1)))
      (numbers_from low (Z.to_nat (at_cell s - low - 1))))).

Definition check_closed (g : grid) (s : state) (r : resolution) : bool :=
  if meaningful r then
    let edges := map fst (Cells.elements (cells s)) in
    let low := fold_left Z.min edges (at_cell s) in
    let high := fold_left Z.max edges (at_cell s) in
    let all := seen_from g r s low high in
    check_covered r s low high all && is_closed g r all
  else false.

Definition check_claim (g : grid) (s : state) (c : claim) : bool :=
  match c with
  | Turning => check_turning g s
  | Repeats period => check_repeats g s (N.to_nat period)
  | ClosedSet r => check_closed g s r
  end.

(** Whether a line is a certificate that proves what it claims. *)
Definition check (line : string) : bool :=
  match words_of line with
  | program :: n :: rest =>
      match program_of program, decimal n, claim_of rest with
      | Some g, Some n, Some c =>
          if N.leb n most_blocks then
            match blocks g (N.to_nat n) first with
            | Some (s, _) => check_claim g s c
            | None => false
            end
          else false
      | _, _, _ => false
      end
  | _ => false
  end.

(** ** That it is sound *)

Lemma in_numbers_from : forall low n j, low <= j < low + Z.of_nat n -> In j (numbers_from low n).
Proof.
  intros low n j within. unfold numbers_from. apply in_map_iff.
  exists (Z.to_nat (j - low)). split; [lia|]. apply in_seq. lia.
Qed.

Lemma zero_outside_get : forall s low high j,
  zero_outside s low high = true -> j < low \/ high < j -> get (cells s) j = 0.
Proof.
  intros s low high j inside beyond. unfold get.
  destruct (Cells.find j (cells s)) as [v|] eqn:there; [|reflexivity].
  unfold zero_outside in inside. rewrite forallb_forall in inside.
  specialize (inside _ (find_in_elements _ _ _ there)). cbn in inside. lia.
Qed.

Lemma classes_of_zeros : forall r t d n j, 0 <= exact r ->
  (forall i, 0 <= i -> t (j + d * i) = 0) -> classes r t n j d = repeat 0 n.
Proof.
  intros r t d n. induction n as [|n IH]; intros j some zero; [reflexivity|]. cbn. f_equal.
  - specialize (zero 0). rewrite Z.mul_0_r, Z.add_0_r in zero. rewrite zero by lia.
    unfold class. cbn. destruct (Z.leb_spec 0 (exact r)); [reflexivity|lia].
  - apply IH; [exact some|]. intros i more.
    replace (j + d + d * i) with (j + d * (i + 1)) by lia. apply zero. lia.
Qed.

Lemma check_covered_sound : forall r s low high all, meaningful r = true ->
  check_covered r s low high all = true -> covered r all (configuration_of s).
Proof.
  intros r s low high all sense. unfold check_covered.
  rewrite !andb_true_iff, orb_true_iff. intros [[there zero] around]. split; [exact there|].
  intros some d k one away. destruct around as [none|around];
    [apply Nat.eqb_eq in none; contradiction|].
  rewrite !andb_true_iff, !forallb_forall in around. destruct around as [[zeros right] left].
  destruct (numbers r sense) as (? & ? & ?). cbn [dp tape configuration_of] in *.
  set (j := at_cell s + d * k).
  assert (beyond : (forall i, 0 <= i -> get (cells s) (j + d * i) = 0) ->
    has_word r d all (word_at r (get (cells s)) j d) = true).
  { intros empty. unfold word_at. rewrite classes_of_zeros by assumption.
    specialize (zeros (j mod period r)). rewrite andb_true_iff in zeros.
    destruct zeros as [on_right on_left].
    - apply in_numbers_from. specialize (Z.mod_pos_bound j (period r)). lia.
    - destruct one as [-> | ->]; assumption. }
  destruct one as [-> | ->].
  - destruct (Z_lt_le_dec high j) as [out|inside].
    + apply beyond. intros i later. apply (zero_outside_get s low high _ zero). lia.
    + apply right, in_numbers_from. unfold j in *. lia.
  - destruct (Z_lt_le_dec j low) as [out|inside].
    + apply beyond. intros i later. apply (zero_outside_get s low high _ zero). lia.
    + apply left, in_numbers_from. unfold j in *. lia.
Qed.

(** The program of an accepted line never halts, whatever its open cells are. *)
Theorem check_sound : forall line, check line = true ->
  exists program g, nth_error (words_of line) 0 = Some program /\
    program_of program = Some g /\ forall h, fills g h -> never_halts h.
Proof.
  intros line. unfold check.
  destruct (words_of line) as [|program [|n rest]]; try discriminate.
  destruct (program_of program) as [g|] eqn:decoded; [|discriminate].
  destruct (decimal n) as [after|]; [|discriminate].
  destruct (claim_of rest) as [c|]; [|discriminate].
  destruct (N.leb after most_blocks); [|discriminate].
  destruct (blocks g (N.to_nat after) first) as [[s taken]|] eqn:moment; [|discriminate].
  intros accepted. exists program, g. split; [reflexivity|]. split; [exact decoded|].
  intros h filled. apply (fills_never_halts g h filled). clear h filled.
  assert (ever : state_runs g s).
  { destruct c as [|period|r]; cbn in accepted.
    - apply check_turning_sound. exact accepted.
    - apply check_repeats_sound in accepted. exact accepted.
    - unfold check_closed in accepted. destruct (meaningful r) eqn:sense; [|discriminate].
      apply andb_true_iff in accepted as [start_covered closed].
      apply (covered_runs g r _ _ sense closed).
      eapply check_covered_sound; eassumption. }
  apply blocks_run in moment; [|exact ever].
  refine (runs_alike g _ _ _ moment). repeat split.
Qed.

Print Assumptions check_sound.
